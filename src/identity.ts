/** Who the events belong to, `identity` = `[epoch, contact, account]`: one for all tabs, remembered across pages. */
import type { Store } from "./storage.js";

/** Each reset begins another epoch: what still waits for its contact from an earlier one will have none. */
type Identity = [epoch: number, contact?: string, account?: string];

const KEY = "identity";

export const createIdentity = (store: Store) => {
  let last: string | null = null;
  let identity: Identity = [0];
  /** Read at each event, so that tabs agree. Where the page has emptied the storage, what was last known holds. */
  const read = (): Identity => {
    const stored = store.get(KEY);
    if (stored && stored !== last) {
      last = stored;
      try {
        // What others have written there is nobody.
        identity = /^\[\d+(,(null|"([^"\\]|\\.)*"))*\]$/.test(stored) ? JSON.parse(stored) : [0];
      } catch {
        identity = [0];
      }
    }
    return identity;
  };
  const write = (...next: Identity): void => {
    identity = next;
    // Member by member: a script of the page may have changed how arrays are written.
    last = `[${next.map((member) => JSON.stringify(member ?? null))}]`;
    store.set(KEY, last);
  };
  return {
    read,
    set: (contact: string, account?: string): void => write(read()[0], contact, account),
    reset: (): void => write(read()[0] + 1),
    /** Keeps the contact, and goes on with what this page holds for the current epoch. */
    adopt: (epoch: number): void => {
      const [, contact, account] = read();
      write(epoch, contact, account);
    },
  };
};
