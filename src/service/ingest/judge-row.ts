import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Static } from "typebox";
import { digest } from "../base/exact-text.js";
import { isTime } from "../base/times.js";
import { HttpError } from "../http/errors.js";
import { describeErrors } from "../http/validation.js";
import type { Row } from "./batch-body.js";
import type { Prove } from "./identity.js";
import { type Judged, judgeEvent, type Sender, type Shared } from "./judge.js";
import { EventInput } from "./schemas.js";

/**
 * Judges an event that came among others: the schema of their route looks at none.
 *
 * @returns judges one; throws an HttpError 400, 413 or 422 that says what is wrong with it
 */
export const createRowJudge =
  ({ maxEventBytes, prove }: Pick<Shared, "maxEventBytes" | "prove">) =>
  (row: Row, request: FastifyRequest, sender: Sender): Judged => {
    if (row.wrong !== undefined) throw new HttpError(400, row.wrong);
    if (Buffer.byteLength(row.text) > maxEventBytes)
      throw new HttpError(413, `the event is over ${maxEventBytes} bytes`);
    const isRight = request.compileValidationSchema(EventInput);
    if (!isRight(row.body)) throw new HttpError(400, describeErrors(isRight.errors ?? [], "event").message);
    const body = row.body as Static<typeof EventInput>;
    return request.isOfAdmin ? judgeDated(body, row.text, sender, prove) : judgeEvent(body, row.text, sender, prove);
  };

/** The same of an event that the operator sends, with the time of its receipt where that is given. */
const judgeDated = (body: Static<typeof EventInput>, text: string, sender: Sender, prove: Prove): Judged => {
  const { received_at: receivedAt, ...others } = body as typeof body & { received_at?: unknown };
  if (receivedAt === undefined) return judgeEvent(others, text, sender, prove);
  if (!isTime(receivedAt, sender.receivedAt))
    throw new HttpError(400, "received_at must be a time in epoch milliseconds, and not later than now");
  const judged = judgeEvent(others, text, { ...sender, receivedAt }, prove);
  // Marks it as one whose id does not say when it was received.
  const { stamp } = judged.event;
  judged.event.originId = stamp === undefined ? randomUUID() : digest(stamp);
  return judged;
};
