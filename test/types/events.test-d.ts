/** Events that an app has declared are checked, where they are tracked and where they were recorded: `tsc -p test` fails when one of these lines compiles. */
import {
  type BeforeSend,
  type Config,
  type EventName,
  type Hub,
  init,
  type Problem,
  pageview,
  type TrackArguments,
  type TrackEvent,
  type Tracker,
  track,
} from "../../src/index.js";
import { recordEvents } from "../../src/recorder.js";
import type { ServerEvent } from "../../src/send.js";

interface Declared {
  signup: { plan: "free" | "team"; seats?: number };
  search: { words?: string };
  logout: undefined;
}

interface Mistaken {
  tagged: { tags: Set<string> };
  parsed: { answer: ReturnType<typeof JSON.parse> };
  sold: { event_id: string };
}

export const choose = (
  mine: Tracker<Declared>,
  mistaken: Tracker<Mistaken>,
  either: "signup" | "search",
  any: EventName<Declared>,
): void => {
  mine.track(either, { plan: "team", words: "shoes" });
  mine.track(any, { plan: "team" });
  mine.track("logout", { account_uid: "acme" });
  // @ts-expect-error one of them needs a plan
  mine.track(either);
  // @ts-expect-error one of them needs a plan
  mine.track(either, { words: "shoes" });
  // @ts-expect-error one of them needs a plan
  mine.track(any);
  // @ts-expect-error JSON makes {} of a Set, whoever declares it
  mistaken.track("tagged", { tags: new Set(["a"]) });
  mistaken.track("parsed", { answer: 5 });
  // @ts-expect-error the stamp has this name, whoever declares it
  mistaken.track("sold", { event_id: "T-42" });

  const report = <Name extends EventName<Declared>>(name: Name, ...params: TrackArguments<Declared, Name>): void =>
    mine.track(name, ...params);
  report("signup", { plan: "team" });
  // @ts-expect-error its params are required
  report("signup");
};

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

/** In what a page gives itself, no name of the stamp is free. That `stamp: false` frees them: package/compilers.test.ts. */
export const name = (ticket: { event_id: string }, unknown: Record<string, unknown>): Config[] => {
  // @ts-expect-error the name of a literal
  track("sold", { event_id: "T-42" });
  // @ts-expect-error of an interface
  track("sold", ticket);
  // @ts-expect-error of a view
  pageview({ event_seq: 1 });
  track("sold", unknown);
  pageview(unknown);
  pageview({ visit_url: "/a", plan: "team" });
  const to = { apiToken: "token", trackUrl: "/proxy" };
  return [
    { ...to, params: unknown },
    { ...to, params: () => unknown },
    // @ts-expect-error of every event
    { ...to, params: { occurred_at: 5 } },
    // @ts-expect-error of every event, when it is asked for
    { ...to, params: () => ({ event_source: "mail" }) },
  ];
};

export const use = (mine: Tracker<Declared>, hub: Hub, event: TrackEvent): void => {
  mine.track("signup", { plan: "team" });
  mine.track("signup", { plan: "free", seats: 3, account_uid: "acme", display_name: "Signed up" });
  mine.track("search");
  mine.track("search", { words: "shoes" });
  mine.track("logout");

  // @ts-expect-error no such event
  mine.track("sign_up", { plan: "team" });
  // @ts-expect-error its params are required
  mine.track("signup");
  // @ts-expect-error a required member is missing
  mine.track("signup", { seats: 3 });
  // @ts-expect-error no such plan
  mine.track("signup", { plan: "gold" });
  // @ts-expect-error no such member
  mine.track("signup", { plan: "team", colour: "red" });
  // @ts-expect-error seats are a number
  mine.track("signup", { plan: "team", seats: "3" });
  // @ts-expect-error an account's uid is a text
  mine.track("signup", { plan: "team", account_uid: 1 });
  // @ts-expect-error it has no params
  mine.track("logout", { plan: "team" });
  // @ts-expect-error one object of params
  mine.track("search", { words: "shoes" }, { words: "boots" });

  // Where nothing is declared, everything goes.
  for (const verb of [hub.track, track]) verb("anything", { at: "all" });
  // @ts-expect-error params are an object
  hub.track("anything", "text");
  // @ts-expect-error an event has a name
  hub.track();

  const known: BeforeSend<Declared>[] = [
    (given) => {
      if (given.event_uid === "signup") given.params.plan = "team";
      if (given.event_uid === "pageview") delete given.params.visit_url;
      delete given.params.email;
      return given;
    },
    ({ event_uid }) => event_uid !== "page_active" && event,
    (given: TrackEvent) => given,
    ({ event_uid, params }) => {
      // @ts-expect-error no such plan
      if (event_uid === "signup") params.plan = "gold";
    },
    // @ts-expect-error no such event
    ({ event_uid }) => event_uid !== "sign_up" && event,
  ];
  const hooks: Config["beforeSend"][] = [
    ({ params }) => {
      delete params.email;
    },
    () => null,
    ({ event_uid }) => event_uid !== "heartbeat" && event,
    (given) => ({ ...given, params: {} }),
    // @ts-expect-error true is no event
    () => true,
    // @ts-expect-error a hook is not waited for
    async () => event,
  ];
  hooks.pop();
  known.pop();

  const config: Config = { apiToken: "token", trackUrl: "/proxy", contactUid: 7, params: { app: "shop" } };
  hub.identify(7, 8);
  hub.identify("ann", null);
  // @ts-expect-error one of three words
  init({ ...config, consent: "maybe" });
  // @ts-expect-error one of two types
  init({ ...config, contentType: "text/html" });
  // @ts-expect-error no such option
  init({ ...config, url: "https://track.example.com" });
};

export const read = (): void => {
  const beforeSend: BeforeSend<Declared> = ({ params }) => void delete params.email;
  const events = recordEvents<Declared>({ contactUid: "ann", beforeSend });
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
  const seats: number[] = events.all("signup").map(({ params }) => params.seats);

  // Where nothing is declared, every name and all params will do.
  const anything: unknown[] = recordEvents()
    .all("anything")
    .map(({ params }) => params.at);
  anything.push(...seats);
  // @ts-expect-error no such option
  recordEvents({ token: "test" });
};

/** A server's own id is what it sends. */
export const sold: ServerEvent<Mistaken> = { contact_uid: 7, event_uid: "sold", params: { event_id: "T-42" } };

export const serve = (contact_uid: number): ServerEvent<Declared>[] => [
  { contact_uid, event_uid: "signup", params: { plan: "team", account_uid: "acme" } },
  { contact_uid, event_uid: "logout" },
  { contact_uid, event_uid: "search", params: undefined },
  { contact_uid, event_uid: "pageview", params: { visit_url: "https://shop.example/" } },
  // @ts-expect-error its params are required
  { contact_uid, event_uid: "signup" },
  // @ts-expect-error no such plan
  { contact_uid, event_uid: "signup", params: { plan: "gold" } },
  // @ts-expect-error no such event
  { contact_uid, event_uid: "sign_up", params: { plan: "team" } },
];
