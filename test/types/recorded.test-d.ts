/** Recorded events have the types that an app has declared: `tsc -p test` fails when one of these lines compiles. */
import { recordEvents } from "../../src/test.js";

interface Declared {
  signup: { plan: "free" | "team"; seats?: number };
  logout: undefined;
}

export const use = (): void => {
  const events = recordEvents<Declared>({ contactUid: "ann" });
  const plans: ("free" | "team")[] = events.all("signup").map(({ params }) => params.plan);
  const urls: string[] = events.all("pageview").map(({ params }) => params.visit_url);
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
