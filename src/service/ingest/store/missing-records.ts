import type { Counter } from "../../access/counter.js";
import type { Statement, Written } from "../../database/database.js";
import type { Making, Told } from "./make-records.js";

/* Which records events tell of that are not known to be there: what was made is remembered. */

/** Characters of the keys that are remembered, at most: some 10 MB for uids of usual lengths. */
const MAX_KNOWN = 2_500_000;

interface Memory {
  /** Of what is remembered, see `generation.ts`: others may delete records. */
  generation: () => number;
  /** How many new records each network may have made. */
  bound?: Counter | undefined;
  /** Is called for each event that makes none, as its network has used that up. */
  withoutRecord?: (() => void) | undefined;
  /** Is called with the number of contacts that were made. */
  madeContacts?: ((contacts: number) => void) | undefined;
}

/** What is not known to be there, of what some events tell. */
export interface Missing<Event extends Told> {
  /** The first event of each account. */
  accounts: readonly Event[];
  /** The first event of each contact, alone or together with an account. */
  contacts: ReadonlySet<Event>;
  /** Those for which none is made, as their network has used that up. */
  without: ReadonlySet<Event>;
  done: Done;
}

interface MissingRecords {
  /** Is it known at this generation that the records of an event are there, and its contact was not erased? */
  isKnown(event: Told): boolean;
  /** Finds out what has to be made. */
  of<Event extends Told>(events: readonly Event[]): Missing<Event>;
}

/** Is to be called with statements and their rows once they are committed: of these, those are looked at that make records. */
export type Done = (statements: readonly (Statement | Making)[], made: Written) => void;

/**
 * Finds out what `makeAccounts` and `makeContacts` have to make, for one batch of events after another: what was made a moment
 * ago costs nothing again, not even a digest, for it is known by the texts that came with the event. What is written by it must
 * be committed at the same generation alone.
 */
export const createMissingRecords = ({ generation, bound, withoutRecord, madeContacts }: Memory): MissingRecords => {
  let known = new Set<string>();
  let size = 0;
  let since: number | undefined;
  const remember = (key: string): void => {
    known.add(key);
    size += key.length;
  };
  const remembered = (): Set<string> => {
    if (size > MAX_KNOWN || generation() !== since) {
      known = new Set();
      size = 0;
      since = generation();
    }
    return known;
  };

  const of = <Event extends Told>(events: readonly Event[]): Missing<Event> => {
    const memory = remembered();
    const told = new Map<string, Event>();
    const accounts = new Map<string, Event>();
    const without = new Set<Event>();
    const isKnown = (key: string, others: Map<string, Event>) => memory.has(key) || others.has(key);
    for (const event of events) {
      const key = keyOf(event);
      if (isKnown(key, told)) continue;
      if (event.from !== undefined && bound !== undefined && bound.wait(event.from, 1) > 0) {
        without.add(event);
        withoutRecord?.();
        continue;
      }
      told.set(key, event);
      if (event.accountUid && !isKnown(accountKeyOf(event), accounts)) accounts.set(accountKeyOf(event), event);
    }
    return {
      accounts: [...accounts.values()],
      contacts: new Set(told.values()),
      without,
      done: (statements, made) => {
        for (const [at, making] of statements.entries()) {
          if (!("makers" in making)) continue;
          if (making.table === "contacts") madeContacts?.(made[at]!.length);
          for (const { key } of made[at]!) {
            const from = making.makers.get(key as string);
            if (from !== undefined) bound?.add(from, 1);
          }
          // What was made before something was deleted may be gone.
          if (memory !== known) continue;
          if (making.table === "accounts") for (const event of making.events) remember(accountKeyOf(event));
          if (making.table === "contacts")
            for (const event of making.events) if (event.erasedAt === undefined) remember(keyOf(event));
        }
      },
    };
  };
  return { isKnown: (event) => remembered().has(keyOf(event)), of };
};

/** Stands for contact and account together. Names of workspaces are not empty and hold no slash. */
const keyOf = ({ workspace, contactUid, accountUid = "" }: Told): string =>
  `${workspace}/${accountUid.length}/${accountUid}${contactUid}`;
const accountKeyOf = ({ workspace, accountUid }: Told): string => `/${workspace}/${accountUid}`;
