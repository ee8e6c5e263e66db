/** Misuse of `tracklet/send` is a compile error: `tsc -p test` fails when one of these lines compiles. */
import { type ServerEvent, sendEvent } from "../../src/send.js";

export const use = async (): Promise<void> => {
  const config = { trackUrl: "https://track.example.com", apiToken: "token" };
  const event: ServerEvent = { contact_uid: "c", event_uid: "e", params: { account_uid: "a", anything: [1] } };
  const nothing = await sendEvent(config, event, { signal: new AbortController().signal });
  await sendEvent({ ...config, auth: "query", stamp: true, eventPath: "/e", fetch, timeoutMs: 1, retries: 0 }, event);

  // @ts-expect-error the token is required
  sendEvent({ trackUrl: "https://track.example.com" }, event);
  // @ts-expect-error basic or query
  sendEvent({ ...config, auth: "bearer" }, event);
  // @ts-expect-error no such option
  sendEvent({ ...config, baseUrl: "https://track.example.com" }, event);
  // @ts-expect-error an event belongs to a contact
  sendEvent(config, { event_uid: "e" });
  // @ts-expect-error an event has a name
  sendEvent(config, { contact_uid: "c" });
  // @ts-expect-error parameters go into params
  sendEvent(config, { contact_uid: "c", event_uid: "e", account_uid: "a" });
  // @ts-expect-error params are an object
  sendEvent(config, { contact_uid: "c", event_uid: "e", params: "a" });
  // @ts-expect-error an account's uid is a text
  sendEvent(config, { contact_uid: "c", event_uid: "e", params: { account_uid: 1 } });
  // @ts-expect-error nothing is returned
  nothing.status;
};
