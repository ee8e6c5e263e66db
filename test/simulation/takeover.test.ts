/** Who sends what several tabs have, whatever becomes of them (design §3.6). */
import { expect } from "vitest";
import { each, stories, storiesTwice, type Teller } from "./story.js";
import { FILED } from "./world-words.js";

storiesTwice(
  "a tab that ends",
  {
    "by a crash has its events stored by another open tab within 6 s":
      "A opens; 5 s; B opens; B tracks 20; B crashes; 6 s; once",
    "by a crash with requests under way has them stored within 27 s":
      "A opens; B opens; 5 s; weather silent; B tracks 9; 3 s; B crashes; weather up; 27 s; once",
    "beside four others in an outage: no event is sent twice when it is over": `
      A opens; B opens; C opens; D opens; E opens; 5 s; weather refused
      A tracks 20; B tracks 20; C tracks 20; D tracks 20; E tracks 20; 60 s; requests <900
      weather up; latency 200; A online; B online; C online; D online; E online; 60 s; once; requests <106`,
  },
  { seeds: 3 },
);

storiesTwice("a tab", {
  "that is alive has its young event sent at once, beside a take-over of its older ones": async (teller) => {
    const { tell, page, world } = teller;
    await tell("A opens; B opens; 5 s; weather refused; A tracks 5; 20 s; weather up; latency 1000; B online");
    await tell("A stalls 9");
    expect(new Set(world.sent.filter((sent) => sent.page === page("B")).map(({ name }) => name)).size).toBe(5);
    await tell("A tracks; 1.2 s; once; 30 s; once");
  },
});

storiesTwice("many dead tabs", {
  "cost little (300 tabs); all is there 30 s after the recovery, and nobody keeps the turn": async (teller) => {
    const { tell, entries, world } = teller;
    await tell("weather refused; Z opens; Z tracks; Z crashes; 1 s");
    const { rows } = world.storage;
    const { key } = entries.get("e1")!;
    for (let tab = 0; tab < 300; tab++) rows[key!.replace(/(event\d*):[^:]+/, `$1:dead${tab}`)] = rows[key!]!;
    Object.assign(entries.get("e1")!, { mayRepeat: "it is 301 events", isDurable: false });
    await tell("A opens");
    await tell("120 s");
    await tell("requests <50; weather up; A online; 30 s; requests 301; waiting ; A freezes; 10 ms");
    expect(Object.keys(world.storage.latest())).not.toContain("tracklet:turn");
  },
});

const THIRTY_DAYS = 2_592_000;

stories("rows of another version of the script", {
  "stay alone until they are older than any option lets them be, which is told to nobody": async ({ tell, world }) => {
    const key = `${FILED}event1:0.5-1700000000000:1000000:${world.clock.wall()}`;
    world.storage.rows[key] = '{"contact_uid":"ann","event_uid":"a","params":{}}';
    await tell(
      `weather refused; A opens maxAgeMs=60000; A tracks; 30 s; weather up; A online; 60 s; ${THIRTY_DAYS - 100} s; A hides; A shows; 1 s`,
    );
    expect([world.names().includes("a"), key in world.storage.rows]).toEqual([false, true]);
    await tell("100 s; B opens maxAgeMs=60000; 5 s; A told ; B told ");
    expect(key in world.storage.rows).toBe(false);
  },
});

/** The tokens with which each event was sent, by its name. */
const tokens = ({ world }: Teller): string[] => world.sent.map(({ name, url }) => `${name} ${url.split("=")[1]}`);

stories("rows of another token", {
  "stay alone, with their contact and their back-off, whatever this one's bounds are, for 30 days; that they wait is told once":
    async (teller) => {
      await teller.tell(`weather 401; A opens apiToken=a; A tracks; 1 s; A leaves; weather up
      B opens apiToken=b maxAgeMs=60000 as bob; B tracks; 30 s; B hides; B shows; 20 s; waiting e1; B told input init: formerToken`);
      expect([...new Set(tokens(teller))]).toEqual(["e1 a", "e2 b"]);
      await teller.tell(`C opens apiToken=b maxAgeMs=60000 nobody; C tracks; 60 s; C hides; C shows; waiting e1; owners ann, bob x2
      ${THIRTY_DAYS} s; D opens apiToken=b; 1 s; waiting ; C told input init: formerToken; D told `);
    },
  "are not touched by what their own tabs do with them, and obey the same refusal": async ({ tell, page }) => {
    await tell(
      "weather refused; A opens apiToken=a; B opens apiToken=b; B tracks; A tracks; 30 s; A refuses; keys consent; 1 s",
    );
    expect(page("B").tracker.consent()).toBe("denied");
  },
  "that is the former one are taken along, with contact and account, but never while their own tab sends them": async (
    teller,
  ) => {
    await teller.tell(`latency 9000; A opens apiToken=a as ann/acme; A tracks; 5 s; B opens apiToken=b formerToken=a nobody
        B tracks; 20 s; once; latency 20; weather refused; A tracks 2; 3 s; A crashes; weather up; 20 s; once
        owners ann/acme x4; B told ; B resets; B identifies bob; 1 s; A opens apiToken=a nobody; 1 s; A tracks; 60 s`);
    expect(tokens(teller).at(-1)).toBe("e4 b");
  },
  "that was missing are taken along, once the token is given":
    "A opens apiToken=; A tracks; 1 s; A leaves; B opens nobody; 60 s; once; owners ann",
});

storiesTwice("a document that is not seen", {
  "because it was left goes on when it is seen again, whatever the browser tells":
    "A opens; 5 s; weather refused; A tracks; 1 s; A goes; 10 s; weather up; A shows; 30 s; once",
});

storiesTwice(
  "a service that hangs has all events within 20 s of its recovery:",
  each([10, 30, 60], (seconds) => [
    `after ${seconds} s, from the start of a page or from its middle`,
    `weather silent; A opens; A tracks 30; ${seconds} s; weather up; 20 s; once
     A leaves; B opens; B tracks; 5 s; weather silent; B tracks 30; ${seconds} s; weather up; 20 s; once`,
  ]),
);
