import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { EVENT_PATH } from "../../shared/option-values.js";
import { type createQuota, networkOf, pointsOf } from "../access/limits.js";
import { type Access, isOfServer } from "../access/tokens.js";
import { digest, filledText, findMember, nearName, withoutMember } from "../base/exact-text.js";
import { viewOf } from "../base/params.js";
import { DAY_MS, isTime, LONGEST_WAIT_MS } from "../base/times.js";
import type { ServiceConfig } from "../config/options.js";
import { type Answered, explainError, HttpError } from "../http/error-answers.js";
import { PROOF_MEMBER, type Prove } from "./identity-proof.js";
import type { SentEvent } from "./read-body.js";
import { reasonOf } from "./refusals.js";
import { type Count, MAX_PARAMS_DEPTH, type Verdict } from "./schemas.js";
import { type NewEvent, stampOf } from "./store/event-rows.js";
import { type EventStore, REPEATED } from "./store/event-store.js";

/** Members of a body that an answer names, and the characters of each. */
const [MAX_NAMED, MAX_NAME] = [10, 64];

interface Sender {
  workspace: string;
  /** Of the client; none where it has the token of a server. */
  address: string | undefined;
  /** See `stampOf`. */
  isOfPage: boolean;
  /** Epoch milliseconds. */
  receivedAt: number;
}

const senderOf = (request: FastifyRequest): Sender => ({
  workspace: request.workspace,
  address: isOfServer(request) ? undefined : request.ip,
  isOfPage: request.isOfPage,
  receivedAt: Date.now(),
});

/** An event that is right, what it counts for, and the members of its body that are left out. */
interface Judged {
  event: NewEvent;
  points: number;
  ignored: string[];
}

/** As `EventInput` has it; the operator may say when an event was received. */
interface Body {
  contact_uid: string;
  event_uid: string;
  params?: Record<string, unknown>;
  received_at?: unknown;
}
const UIDS = ["contact_uid", "event_uid"];
const MEMBERS = [...UIDS, "params"];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where an event is not as `EventInput` says, by hand: three members are a tenth of what Ajv costs. */
const faultsOf = (body: unknown, whole: string): string[] => {
  if (!isObject(body)) return [`${whole} must be an object`];
  const faults: string[] = [];
  for (const name of UIDS)
    if (body[name] === undefined) faults.push(`${name} is missing`);
    else if (filledText(body[name]) === undefined)
      faults.push(`${name} must ${body[name] === "" ? "not be empty" : "be a string"}`);
  if (body.params !== undefined && !isObject(body.params)) faults.push("params must be an object");
  return faults;
};

/**
 * Judges an event of a request.
 *
 * @param sent its text, as it was sent: its params are stored letter by letter
 * @throws HttpError 400 or 413 that says what is wrong with it, 422 where its proof of identity does not hold
 */
const judge = (
  { text, body, wrong }: SentEvent,
  request: FastifyRequest,
  sender: Sender,
  { maxEventBytes, prove }: Pick<EventOptions, "maxEventBytes" | "prove">,
): Judged => {
  if (wrong !== undefined) throw new HttpError(400, wrong);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxEventBytes) throw new HttpError(413, `the event is over ${maxEventBytes} bytes`);
  const faults = faultsOf(body, request.routeOptions.url === EVENT_PATH ? "the body" : "the event");
  if (faults.length > 0) throw new HttpError(400, faults.join("; "));
  const { contact_uid: contactUid, event_uid: eventUid, params = {}, received_at: told } = body as Body;
  const isDated = request.kind === "admin" && told !== undefined;
  if (isDated && !isTime(told, sender.receivedAt))
    throw new HttpError(400, "received_at must be a time in epoch milliseconds, and not later than now");
  const receivedAt = isDated ? (told as number) : sender.receivedAt;
  const ignored = Object.keys(body as Body).filter(
    (name) => !MEMBERS.includes(name) && !(isDated && name === "received_at"),
  );
  if ((body as Body).params === undefined && ignored.some((name) => nearName(name, ["params"])))
    throw new HttpError(400, "params is missing, but a member is called nearly so: params was probably meant");
  const sent = findMember(text, "params") ?? { text: "{}", depth: 1 };
  if (sent.depth > MAX_PARAMS_DEPTH)
    throw new HttpError(400, `params must not be nested deeper than ${MAX_PARAMS_DEPTH} levels`);
  const { account_uid, occurred_at, identity_proof: proof } = params;
  const { workspace, address } = sender;
  const accountUid = filledText(account_uid);
  const occurredAt = plausible(occurred_at, receivedAt);
  const stamp = stampOf(params, sender.isOfPage);
  const { page, referrerHost } = viewOf(eventUid, params);
  return {
    event: {
      workspace,
      contactUid,
      accountUid,
      eventUid,
      // What proves who somebody is, is kept nowhere.
      params: proof === undefined ? sent.text : withoutMember(sent.text, PROOF_MEMBER),
      isProven: prove({ workspace, contactUid, accountUid, proof, receivedAt, occurredAt }),
      stamp,
      page,
      referrerHost,
      receivedAt,
      occurredAt,
      from: address === undefined ? undefined : networkOf(address),
      // Its id does not say when it was received.
      originId: isDated ? (stamp === undefined ? randomUUID() : digest(stamp)) : undefined,
    },
    points: pointsOf(bytes),
    ignored: ignored.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME)),
  };
};

const AHEAD_MS = DAY_MS;

/**
 * The time that a caller gives, in epoch milliseconds, where it is plausible; else what stands in the params is left. All that
 * counts by time goes by this one, so that nobody changes what is older.
 */
const plausible = (time: unknown, receivedAt: number): number | undefined =>
  isTime(time, receivedAt + AHEAD_MS) && time >= receivedAt - LONGEST_WAIT_MS ? time : undefined;

/** Does it come of a browser that asks not to be tracked (Global Privacy Control, §3.2)? Servers say nothing of one. */
const isPrivate = (request: FastifyRequest): boolean => request.headers["sec-gpc"] === "1" && !isOfServer(request);

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
export interface Handled {
  sent: SentEvent;
  verdict: Verdict;
  /** Nothing of one that is refused. */
  judged?: Judged;
  error?: Error;
}

/** @returns takes in the events of a request; resolves to what became of each, once all that are right are committed */
export const createIntake = (
  store: EventStore,
  { count, countMore, gpc, maxEventBytes, prove, quota, waits }: EventOptions,
) => {
  /** Each is counted as a request, and whoever has nothing left costs nothing more. */
  const countAll = (request: FastifyRequest, sender: Sender, sent: readonly SentEvent[]): void => {
    if (isOfServer(request) || sent.length === 1) return;
    countMore(request.ip, Math.max(0, sent.length - 1));
    quota.spend({ ...sender, points: 0 });
  };

  /** All are judged before the first is stored. */
  const judgeAll = (request: FastifyRequest, sender: Sender, sent: readonly SentEvent[]): Handled[] => {
    let wrong = 0;
    return sent.map((one, index) => {
      if (wrong === MAX_WRONG && !isOfServer(request))
        return { sent: one, verdict: { index, status: "again", why: TOO_WRONG } };
      try {
        return {
          sent: one,
          judged: judge(one, request, sender, { maxEventBytes, prove }),
          verdict: { index, status: "stored" },
        };
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        wrong += 1;
        return { sent: one, error, verdict: { index, status: "refused", why: error.message } };
      }
    });
  };

  /** Tells what became of one that is right. What it was counted for is given back where it is not stored, or was before. */
  const tell = (one: Handled, otherwise: unknown, giveBack: (points: number) => void): void => {
    const { event, ignored, points } = one.judged!;
    if (otherwise !== undefined) giveBack(points);
    if (otherwise === REPEATED) one.verdict.status = "repeated";
    else if (otherwise !== undefined) {
      one.error = otherwise as Error;
      count("events_refused_total", { reason: reasonOf(otherwise), workspace: event.workspace });
      return;
    }
    if (ignored.length === 0) return;
    one.verdict.ignored = ignored;
    count("events_with_ignored_members_total");
  };

  return async (request: FastifyRequest, sent: readonly SentEvent[]): Promise<readonly Handled[]> => {
    const sender = senderOf(request);
    countAll(request, sender, sent);
    const all = judgeAll(request, sender, sent);
    const right = all.filter(({ judged }) => judged !== undefined);
    if (right.length === 0) return all;
    if (gpc === "obey" && isPrivate(request)) {
      count("events_obeyed_total", {}, right.length);
      return all;
    }
    const giveBack = quota.spend({ ...sender, points: right.reduce((sum, one) => sum + one.judged!.points, 0) });
    waits(right.length);
    const told = await store.add(right.map(({ judged }) => judged!.event));
    waits(-right.length);
    for (const one of right) tell(one, told.get(one.judged!.event), giveBack);
    const failed = right.filter(({ error }) => error !== undefined);
    // Nothing is stored: said by the status, as of a single event.
    if (failed.length === right.length) throw failed[0]!.error;
    for (const { verdict, error } of failed)
      Object.assign(verdict, { status: "again", why: explainError(error!, request.log).text });
    return all;
  };
};
