/** `tracklet/send`: events from a server. */

import type { CallOptions } from "./trusted/http/reach.js";
import { request } from "./trusted/http/request.js";
import { bodyOf, requestOf, type SendConfig, type ServerEvent, stampsOf } from "./trusted/sending.js";

export {
  type AnswerDetails,
  ApiError,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  TrackletError,
} from "./trusted/http/errors.js";
export type { CallOptions, Reach } from "./trusted/http/reach.js";
export { type Identity, proveIdentity } from "./trusted/prove-identity.js";
export { type DatedEvent, type SentEvent, sendEvents } from "./trusted/send-events.js";
export type { AnyEvent, EventParams, SendConfig, ServerEvent } from "./trusted/sending.js";
export {
  type AccountTraits,
  type AdminConfig,
  type ContactTraits,
  updateAccount,
  updateContact,
} from "./trusted/update-records.js";

/**
 * Sends one event, and resolves when the service has accepted it. Attempts are repeated on network errors, 408, 425, 429
 * and 5xx; without `stamp`, an event whose answer was lost on the way may then be stored twice.
 *
 * @throws TypeError when an argument is wrong, before anything is sent
 * @throws `ApiError` and its kinds, `ConnectionError`, `TimeoutError`, or the reason of the signal
 */
export const sendEvent = async (config: SendConfig, event: ServerEvent, options?: CallOptions): Promise<void> => {
  const to = requestOf(config);
  return request({ ...to, body: bodyOf(event, stampsOf(config)) }, config, options);
};
