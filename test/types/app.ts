/**
 * An app that has declared its events, and that gives no stamp: what it may write, and what not. package/compilers.test.ts compiles
 * it against the package. Of an app that has declared nothing: params.test-d.ts.
 */
import {
  type BeforeSend,
  type Config,
  type EventName,
  type Events,
  flush,
  identify,
  init,
  type Problem,
  type TrackArguments,
  type TrackEvent,
  type Tracker,
  track,
} from "tracklet";
import { trackActive } from "tracklet/active";
import { trackClicks } from "tracklet/clicks";
import { createTracker } from "tracklet/instance";
import { createReader } from "tracklet/read";
import { type ServerEvent, sendEvent } from "tracklet/send";
import { recordEvents } from "tracklet/test";
import "tracklet/tracklet.iife.js";
import "tracklet/window";

declare module "tracklet" {
  interface Events {
    signup: { plan: "free" | "team"; seats?: number };
    search: { words?: string };
    logout: undefined;
  }
  interface Settings {
    stamp: false;
  }
}

/** What a setting may lack is handed on as it is. */
const setting = (name: string): string | undefined => (name ? name : undefined);
const to = { apiToken: "token", trackUrl: "/proxy" };

track("signup", { plan: "team" });
track("signup", { plan: "free", seats: 3, account_uid: setting("acme"), display_name: "Signed up" });
track("search");
track("search", { words: "shoes" });
track("logout");
track("logout", { account_uid: "acme" });
// @ts-expect-error no such event
track("sign_up", { plan: "team" });
// @ts-expect-error its params are required
track("signup");
// @ts-expect-error a required member is missing
track("signup", { seats: 3 });
// @ts-expect-error no such plan
track("signup", { plan: "gold" });
// @ts-expect-error no such member
track("signup", { plan: "team", colour: "red" });
// @ts-expect-error seats are a number
track("signup", { plan: "team", seats: "3" });
// @ts-expect-error an account's uid is a text
track("signup", { plan: "team", account_uid: 1 });
// @ts-expect-error it has no params
track("logout", { plan: "team" });
// @ts-expect-error one object of params
track("search", { words: "shoes" }, { words: "boots" });

// biome-ignore lint/suspicious/noAssignInExpressions: as pages have it
(window.tracklet ||= []).push(["track", "signup"]);
window.tracklet.track?.("signup", { plan: "team" });
// @ts-expect-error no such plan
window.tracklet.track?.("signup", { plan: "gold" });
// @ts-expect-error until the script has loaded there is no verb
window.tracklet.track("logout");

export const choose = (either: "signup" | "search", any: EventName<Events>): void => {
  track(either, { plan: "team", words: "shoes" });
  track(any, { plan: "team" });
  // @ts-expect-error one of them needs a plan
  track(either);
  // @ts-expect-error one of them needs a plan
  track(either, { words: "shoes" });
  // @ts-expect-error one of them needs a plan
  track(any);
  const report = <Name extends EventName<Events>>(name: Name, ...params: TrackArguments<Events, Name>): void =>
    track(name, ...params);
  report("signup", { plan: "team" });
  // @ts-expect-error its params are required
  report("signup");
};

interface Other {
  tagged: { tags: Set<string> };
  parsed: { answer: ReturnType<typeof JSON.parse> };
  sold: { event_id: string };
}
const other: Tracker<Other> = createTracker<Other>({
  ...to,
  name: "other",
  beforeSend: ({ event_uid }) => event_uid === "sold" && null,
});
other.track("parsed", { answer: 5 });
// Without a stamp its names are free.
other.track("sold", { event_id: "T-42" });
// @ts-expect-error JSON makes {} of a Set, whoever declares it
other.track("tagged", { tags: new Set(["a"]) });
// @ts-expect-error another app's event
other.track("logout");
// @ts-expect-error without a name it would be the page's
createTracker(to);

export const tell = (problem: Problem): string => {
  // @ts-expect-error what is wrong is told of no event
  if (problem.code === "input") return problem.event.event_uid;
  if (problem.code === "evicted" && problem.detail === "identify") return problem.event.event_uid;
  // @ts-expect-error no bound has this name
  if (problem.code === "evicted" && problem.detail === "maxAge") return "";
  // @ts-expect-error it is the status of an answer
  if (problem.code === "rejected" && problem.detail === "422") return "";
  return problem.code === "rejected" ? problem.event.event_uid : problem.detail;
};

export const hooks = (event: TrackEvent): BeforeSend[] => [
  (given) => {
    if (given.event_uid === "signup") given.params.plan = "team";
    if (given.event_uid === "pageview") delete given.params.visit_url;
    delete given.params.email;
    return given;
  },
  ({ event_uid }) => event_uid !== "page_active" && event,
  (given: TrackEvent) => ({ ...given, params: {} }),
  ({ event_uid, params }) => {
    // @ts-expect-error no such plan
    if (event_uid === "signup") params.plan = "gold";
  },
  // @ts-expect-error no such event
  ({ event_uid }) => event_uid !== "sign_up" && event,
  () => null,
];
// @ts-expect-error true is no event
export const never: BeforeSend = () => true;
// @ts-expect-error a hook is not waited for
export const late: BeforeSend = async () => null;

const config: Config = {
  ...to,
  name: setting("shop"),
  contactUid: setting("") ?? 7,
  params: undefined,
  onError: tell,
  debug: undefined,
  stamp: false,
};
init(config);
// @ts-expect-error one of three words
init({ ...config, consent: "maybe" });
// @ts-expect-error one of two types
init({ ...config, contentType: "text/html" });
// @ts-expect-error no such option
init({ ...config, url: "https://track.example.com" });
identify("c", setting("a"));
void flush({ timeoutMs: undefined });
trackClicks({ outbound: undefined });
trackActive();

const events = recordEvents({ contactUid: "ann", beforeSend: ({ params }) => void delete params.email });
const plans: ("free" | "team")[] = events.all("signup").map(({ params }) => params.plan);
const urls: string[] = events.all("pageview").map(({ params }) => params.visit_url);
for (const name of ["file_downloaded", "link_clicked", "page_active"] as const) events.all(name);
for (const { event_uid, contact_uid, params } of events.all())
  if (event_uid === "signup") plans.push(params.plan);
  else urls.push(contact_uid, params.account_uid as string);
// @ts-expect-error no such event
events.all("sign_up");
// @ts-expect-error it has no params of its own
events.all("logout").map(({ params }) => params.plan);
// @ts-expect-error seats may be missing
export const seats: number[] = events.all("signup").map(({ params }) => params.seats);
// @ts-expect-error no such option
recordEvents({ token: "test" });

const server = { trackUrl: "https://t.example", apiToken: "t", stamp: undefined };
const sent: ServerEvent[] = [
  { contact_uid: 7, event_uid: "signup", params: { plan: "team", account_uid: "acme" } },
  { contact_uid: 7, event_uid: "logout" },
  { contact_uid: 7, event_uid: "search", params: undefined },
  { contact_uid: 7, event_uid: "pageview", params: { visit_url: "https://shop.example/" } },
];
for (const event of sent) void sendEvent(server, event);
// @ts-expect-error its params are required
void sendEvent(server, { contact_uid: 7, event_uid: "signup" });
// @ts-expect-error no such plan
void sendEvent(server, { contact_uid: 7, event_uid: "signup", params: { plan: "gold" } });
// @ts-expect-error no such event
void sendEvent(server, { contact_uid: 7, event_uid: "sign_up", params: { plan: "team" } });
void createReader({ baseUrl: "https://t.example", accessToken: plans[0] ?? "" }).accounts.get("id");
