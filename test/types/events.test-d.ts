/** Events that an app has declared are checked: `tsc -p test` fails when one of these lines compiles. */
import { type Config, createTracker, type Hub, type TrackEvent, track } from "../../src/index.js";

interface Declared {
  signup: { plan: "free" | "team"; seats?: number };
  search: { words?: string };
  logout: undefined;
}

export const use = (config: Config, hub: Hub, event: TrackEvent): void => {
  const mine = createTracker<Declared>(config);
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
  const any = createTracker(config);
  for (const { track: verb } of [any, hub]) verb("anything", { at: "all" });
  track("anything");
  // @ts-expect-error params are an object
  any.track("anything", "text");
  // @ts-expect-error an event has a name
  any.track();

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

  // @ts-expect-error one of three words
  createTracker({ ...config, consent: "maybe" });
  // @ts-expect-error one of two types
  createTracker({ ...config, contentType: "text/html" });
  // @ts-expect-error no such option
  createTracker({ ...config, url: "https://track.example.com" });
};
