import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { createCounter } from "../access/counter.js";
import { networkOf } from "../access/networks.js";
import { namesIn } from "../base/body-names.js";
import { filledText, parseJson } from "../base/exact-text.js";
import type { ServiceConfig } from "../config/service-config.js";
import type { Database } from "../database/database.js";
import { newIds } from "../database/event-id.js";
import { checkGeneration, writeAtGeneration } from "../database/generation.js";
import { tellError } from "../database/sql-state.js";
import type { Answered } from "../http/errors.js";
import { createLook, withoutProof } from "./identity.js";
import { isObeyed, plausible, type RefusedRow } from "./judge.js";
import { hasRoom, insertLetter, KEEP_MS, type Letter } from "./letter-table.js";
import { EVENT_PATH } from "./schemas.js";
import type { AtGeneration } from "./store/erased.js";

/* Which refused bodies are kept, as dead letters. */

/** Letters of one network in the time for which they are kept. */
const MOST_OF_ONE = 50;
/** Letters that wait to be written; what comes then is not kept. */
const MAX_WAITING = 20;
/** Milliseconds for which nothing is kept after there was no room. */
const FULL_MS = 60_000;
/** Characters of a body that is too large. */
const MAX_HEAD = 1_024;

export interface KeepOptions extends Pick<ServiceConfig, "identity" | "identitySecret" | "gpc">, AtGeneration {
  /** Of each workspace; 0 keeps none. */
  megabytes: number;
}

/**
 * Keeps the bodies of events that are refused for good, though their token was valid, so that they can be sent again.
 *
 * @returns is to be called for each request that is answered with an error, and for each event that is refused among others
 */
export const keepDeadLetters = (
  database: Database,
  { megabytes, gpc, generation, erased, ...identity }: KeepOptions,
): ((request: FastifyRequest, answer: Answered, row?: RefusedRow) => void) => {
  const counter = createCounter({ points: MOST_OF_ONE, windowMs: KEEP_MS, shared: "letters" });
  const look = createLook(identity);
  let working: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  /** Until when a workspace is taken for full. */
  const full = new Map<string, number>();
  /** Was whom it names erased after it? One that names nobody is left out where anybody was erased meanwhile. */
  const isErased = async ({ workspace, receivedAt, body }: Letter, since: number): Promise<boolean> => {
    const names = namesIn(body).map((contactUid) => ({ workspace, contactUid }));
    if (names.length === 0) return generation.value() !== since;
    const erasedAt = await erased.of(names);
    const { occurredAt } = claimOf(body, receivedAt);
    return names.some((one) => erased.isBefore({ receivedAt, occurredAt }, erasedAt(one) ?? Number.NEGATIVE_INFINITY));
  };
  const store = async (letter: Letter, { since, log }: { since: number; log: FastifyBaseLogger }): Promise<void> => {
    waiting -= 1;
    const { workspace } = letter;
    await writeAtGeneration(generation, async (believed) => {
      if (await isErased(letter, since)) return;
      if (await hasRoom(database, letter, megabytes * 1_000_000))
        return void (await database.write([insertLetter(letter), checkGeneration(believed)]));
      full.set(workspace, performance.now() + FULL_MS);
      log.warn({ workspace }, `the ${megabytes} MB of TRACKLET_DEAD_LETTERS are full: no more is kept`);
    });
  };

  return (request, answer, row) => {
    if (megabytes === 0 || request.workspace === "") return;
    // What is wrong with several events as a whole, their sender learns.
    if (row === undefined && request.routeOptions.url !== EVENT_PATH) return;
    if (![400, 413, 415, 422].includes(answer.status) || ["broken", "identity"].includes(answer.reason ?? "")) return;
    if (gpc === "obey" && isObeyed(request)) return;
    const from = networkOf(request.ip);
    const isFull = performance.now() < (full.get(request.workspace) ?? 0);
    if (waiting >= MAX_WAITING || isFull || counter.wait(from, 1) > 0) return;
    counter.add(from, 1);
    waiting += 1;
    const { workspace, isOfPage: ofPage, log } = request;
    const { bodyText, bodyBytes: bytes } = row ?? request;
    const receivedAt = Date.now();
    const { contactUid, ...claim } = claimOf(bodyText, receivedAt);
    const wrong = contactUid === undefined ? undefined : look({ workspace, contactUid, ...claim });
    const letter = {
      ...{ id: newIds(1)[0]!, workspace, receivedAt, status: answer.status, error: answer.text, bytes, ofPage },
      proven: wrong === undefined ? undefined : wrong === "",
      body: answer.status === 413 ? bodyText.slice(0, MAX_HEAD) : withoutProof(bodyText),
    };
    const since = generation.value();
    working = working
      .then(() => store(letter, { since, log }))
      .catch((error: Error) => log.warn(`a dead letter could not be kept: ${tellError(error)}`));
  };
};

/** Whom a body is said to be of, when it occurred, and what proves that. */
const claimOf = (body: string, receivedAt: number) => {
  const { contact_uid, params } = Object(parseJson(body)) as Record<string, unknown>;
  const { account_uid, occurred_at, identity_proof: proof } = Object(params) as Record<string, unknown>;
  return {
    contactUid: filledText(contact_uid),
    accountUid: filledText(account_uid),
    proof,
    receivedAt,
    occurredAt: plausible(occurred_at, receivedAt),
  };
};
