import type { FastifyRequest } from "fastify";
import { explainError, HttpError } from "../http/errors.js";
import type { Row } from "./batch-body.js";
import { type EventOptions, type Judged, judge, type Sender, senderOf } from "./judge.js";
import type { Verdict } from "./schemas.js";
import type { EventStore } from "./store/store.js";

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
  { countMore, maxEventBytes, prove, quota, tellIgnored }: EventOptions,
) => {
  /** Each is counted as a request, and whoever has nothing left costs nothing more. */
  const count = (request: FastifyRequest, sender: Sender, rows: readonly Row[]): void => {
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
      return;
    }
    if (ignored.length === 0) return;
    one.verdict.ignored = ignored;
    tellIgnored();
  };

  return async (request: FastifyRequest, rows: readonly Row[]): Promise<readonly Recorded[]> => {
    const sender = senderOf(request);
    count(request, sender, rows);
    const all = judgeAll(request, sender, rows);
    const right = all.filter(({ judged }) => judged !== undefined);
    if (right.length === 0) return all;
    const giveBack = quota.spend({ ...sender, points: right.reduce((sum, one) => sum + one.judged!.points, 0) });
    await Promise.all(right.map((one) => storeOne(one, giveBack)));
    const failed = right.filter(({ error }) => error !== undefined);
    // Nothing is stored: said by the status, as of a single event.
    if (failed.length === right.length) throw failed[0]!.error;
    for (const { verdict, error } of failed)
      Object.assign(verdict, { status: "again", why: explainError(error!, request.log).text });
    return all;
  };
};
