import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type createQuota, networkOf, pointsOf } from "../access/limits.js";
import type { Access } from "../access/tokens.js";
import { digest, filledText } from "../base/exact-text.js";
import { findMember, withoutMember } from "../base/json-text.js";
import { nearName } from "../base/near-name.js";
import { viewOf } from "../base/params.js";
import { DAY_MS, isTime, LONGEST_WAIT_MS } from "../base/times.js";
import type { ServiceConfig } from "../config/options.js";
import { type Answered, explainError, HttpError } from "../http/errors.js";
import { type Row, rowsOf } from "./body.js";
import { PROOF_MEMBER, type Prove } from "./identity.js";
import { reasonOf } from "./refusals.js";
import { type Count, EVENT_PATH, MAX_PARAMS_DEPTH, type Verdict } from "./schemas.js";
import { type NewEvent, stampOf } from "./store/rows.js";
import type { EventStore } from "./store/store.js";

/** Members of a body that an answer names, and the characters of each. */
const [MAX_NAMED, MAX_NAME] = [10, 64];

/** Who sends an event, and when it came. */
interface Sender {
  workspace: string;
  /** Of the client; none where it has the token of a server. */
  address: string | undefined;
  /** See `stampOf`. */
  isOfPage: boolean;
  /** Epoch milliseconds. */
  receivedAt: number;
}

/** Who sends a request, whose token was found to be valid. */
const senderOf = ({ workspace, isOfServer, isOfPage, ip }: FastifyRequest): Sender => ({
  workspace,
  address: isOfServer ? undefined : ip,
  isOfPage,
  receivedAt: Date.now(),
});

/** An event that is right, what it counts for, and the members of its body that are left out. */
interface Judged {
  event: NewEvent;
  points: number;
  ignored: string[];
}

/** As `EventInput` has it. */
interface Body {
  contact_uid: string;
  event_uid: string;
  params?: Record<string, unknown>;
}

/**
 * Judges an event of a request.
 *
 * @param row its text, as it was sent: its params are stored letter by letter
 * @throws HttpError 400 or 413 that says what is wrong with it, 422 where its proof of identity does not hold
 */
const judge = (
  { text, body, wrong }: Row,
  request: FastifyRequest,
  sender: Sender,
  { maxEventBytes, prove }: Pick<EventOptions, "maxEventBytes" | "prove">,
): Judged => {
  if (wrong !== undefined) throw new HttpError(400, wrong);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxEventBytes) throw new HttpError(413, `the event is over ${maxEventBytes} bytes`);
  const faults = faultsOf(body, request.routeOptions.url === EVENT_PATH ? "the body" : "the event");
  if (faults.length > 0) throw new HttpError(400, faults.join("; "));
  const event = body as Body;
  const judged = request.isOfAdmin ? judgeDated(event, text, sender, prove) : judgeEvent(event, text, sender, prove);
  return { ...judged, points: pointsOf(bytes) };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const UIDS = ["contact_uid", "event_uid"];

/** Where an event is not as `EventInput` says, by hand: three members are a tenth of what Ajv costs. */
const faultsOf = (body: unknown, whole: string): string[] => {
  if (!isObject(body)) return [`${whole} must be an object`];
  const faults = UIDS.filter((name) => filledText(body[name]) === undefined).map((name) =>
    body[name] === undefined
      ? `${name} is missing`
      : `${name} must ${body[name] === "" ? "not be empty" : "be a string"}`,
  );
  if (body.params !== undefined && !isObject(body.params)) faults.push("params must be an object");
  return faults;
};

/** Of an event that the operator sends, with the time of its receipt where that is given. */
const judgeDated = (body: Body, text: string, sender: Sender, prove: Prove): Omit<Judged, "points"> => {
  const { received_at: receivedAt, ...others } = body as Body & { received_at?: unknown };
  if (receivedAt === undefined) return judgeEvent(others, text, sender, prove);
  if (!isTime(receivedAt, sender.receivedAt))
    throw new HttpError(400, "received_at must be a time in epoch milliseconds, and not later than now");
  const judged = judgeEvent(others, text, { ...sender, receivedAt }, prove);
  // Marks it as one whose id does not say when it was received.
  const { stamp } = judged.event;
  judged.event.originId = stamp === undefined ? randomUUID() : digest(stamp);
  return judged;
};

const judgeEvent = (
  body: Body,
  text: string,
  { workspace, address, isOfPage, receivedAt }: Sender,
  prove: Prove,
): Omit<Judged, "points"> => {
  const { contact_uid, event_uid, params = {}, ...others } = body;
  const names = Object.keys(others);
  const misspelt = names.find((name) => nearName(name, ["params"]));
  if (body.params === undefined && misspelt !== undefined)
    throw new HttpError(400, "params is missing, but a member is called nearly so: params was probably meant");
  const sent = findMember(text, "params") ?? { text: "{}", depth: 1 };
  if (sent.depth > MAX_PARAMS_DEPTH)
    throw new HttpError(400, `params must not be nested deeper than ${MAX_PARAMS_DEPTH} levels`);
  const { account_uid, occurred_at, identity_proof: proof } = params;
  const accountUid = filledText(account_uid);
  const occurredAt = plausible(occurred_at, receivedAt);
  return {
    event: {
      workspace,
      contactUid: contact_uid,
      accountUid,
      eventUid: event_uid,
      // What proves who somebody is, is kept nowhere.
      params: proof === undefined ? sent.text : withoutMember(sent.text, PROOF_MEMBER),
      isProven: prove({ workspace, contactUid: contact_uid, accountUid, proof, receivedAt, occurredAt }),
      stamp: stampOf(params, isOfPage),
      ...viewOf(event_uid, params),
      receivedAt,
      occurredAt,
      ...(address !== undefined && { from: networkOf(address) }),
    },
    ignored: names.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME)),
  };
};

/** Milliseconds that a clock may be ahead. */
const AHEAD_MS = DAY_MS;

/**
 * The time that a caller gives, in epoch milliseconds, where it is plausible; else what stands in the params is left. All that
 * counts by time goes by this one, so that nobody changes what is older.
 */
const plausible = (time: unknown, receivedAt: number): number | undefined =>
  isTime(time, receivedAt + AHEAD_MS) && time >= receivedAt - LONGEST_WAIT_MS ? time : undefined;

/** Does it come of a browser that asks not to be tracked (Global Privacy Control, §3.2)? Servers say nothing of one. */
const isPrivate = ({ headers, isOfServer }: FastifyRequest): boolean => headers["sec-gpc"] === "1" && !isOfServer;

export interface EventOptions extends Pick<ServiceConfig, "maxEventBytes"> {
  /** Whether events of a browser with Global Privacy Control are stored. */
  gpc: ServiceConfig["gpc"];
  access: Access;
  prove: Prove;
  count: Count;
  /** Is told how many more events wait to be committed, or fewer. */
  waits(more: number): void;
  quota: ReturnType<typeof createQuota>;
  /** Counts more of a request of an address. @throws HttpError 429 */
  countMore(address: string, points: number): void;
  /** Is called for each event that is refused among others, with its bytes. */
  tellRefused(request: FastifyRequest, answer: Answered, bytes: number): void;
}

/* The way of the events of a request: counted, judged, paid for, stored, told. A single event is a batch of one. */

/** Events of a page's request that are refused; the others of it are not looked at. */
const MAX_WRONG = 10;
const TOO_WRONG = `${MAX_WRONG} events of this request are wrong: send the others again`;

/** An event of a request, and what becomes of it. */
interface Recorded {
  row: Row;
  verdict: Verdict;
  /** Nothing of one that is refused. */
  judged?: Judged;
  /** Why it is not stored. */
  error?: Error;
}

/** @returns records the events of a request; resolves to what became of each, once all that are right are committed */
export const createRecord = (
  store: EventStore,
  { count, countMore, gpc, maxEventBytes, prove, quota, waits }: EventOptions,
) => {
  /** Each is counted as a request, and whoever has nothing left costs nothing more. */
  const countAll = (request: FastifyRequest, sender: Sender, rows: readonly Row[]): void => {
    if (request.isOfServer || rows.length === 1) return;
    countMore(request.ip, Math.max(0, rows.length - 1));
    quota.spend({ ...sender, points: 0 });
  };

  /** All are judged before the first is stored. */
  const judgeAll = (request: FastifyRequest, sender: Sender, rows: readonly Row[]): Recorded[] => {
    let wrong = 0;
    return rows.map((row, index) => {
      if (wrong === MAX_WRONG && !request.isOfServer)
        return { row, verdict: { index, status: "again", why: TOO_WRONG } };
      try {
        return {
          row,
          judged: judge(row, request, sender, { maxEventBytes, prove }),
          verdict: { index, status: "stored" },
        };
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        wrong += 1;
        return { row, error, verdict: { index, status: "refused", why: error.message } };
      }
    });
  };

  /** Stores one that is right. What it was counted for is given back where it is not stored, or was before. */
  const storeOne = async (one: Recorded, giveBack: (points: number) => void): Promise<void> => {
    const { event, ignored, points } = one.judged!;
    event.onRepeat = () => {
      one.verdict.status = "repeated";
      giveBack(points);
    };
    try {
      await store.add(event);
    } catch (error) {
      giveBack(points);
      one.error = error as Error;
      count("events_refused_total", { reason: reasonOf(error), workspace: event.workspace });
      return;
    }
    if (ignored.length === 0) return;
    one.verdict.ignored = ignored;
    count("events_with_ignored_members_total");
  };

  return async (request: FastifyRequest): Promise<readonly Recorded[]> => {
    const rows = rowsOf(request);
    const sender = senderOf(request);
    countAll(request, sender, rows);
    const all = judgeAll(request, sender, rows);
    const right = all.filter(({ judged }) => judged !== undefined);
    if (right.length === 0) return all;
    if (gpc === "obey" && isPrivate(request)) {
      count("events_obeyed_total", {}, right.length);
      return all;
    }
    const giveBack = quota.spend({ ...sender, points: right.reduce((sum, one) => sum + one.judged!.points, 0) });
    waits(right.length);
    await Promise.all(right.map((one) => storeOne(one, giveBack)));
    waits(-right.length);
    const failed = right.filter(({ error }) => error !== undefined);
    // Nothing is stored: said by the status, as of a single event.
    if (failed.length === right.length) throw failed[0]!.error;
    for (const { verdict, error } of failed)
      Object.assign(verdict, { status: "again", why: explainError(error!, request.log).text });
    return all;
  };
};
