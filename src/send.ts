/** `tracklet/send`: events from a server. */

import { type CallOptions, request } from "./api-client/request.js";
import { bodyOf, requestOf, type SendConfig, type ServerEvent, stampsOf } from "./api-client/send-events.js";

export {
  type AnswerDetails,
  ApiError,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  TrackletError,
} from "./api-client/errors.js";
export type { CallOptions, Reach } from "./api-client/request.js";
export type { AnyEvent, EventParams, SendConfig, ServerEvent } from "./api-client/send-events.js";
export {
  type AccountTraits,
  type AdminConfig,
  type ContactTraits,
  type DatedEvent,
  type Identity,
  proveIdentity,
  type SentEvent,
  sendEvents,
  updateAccount,
  updateContact,
} from "./api-client/send-events.js";

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
