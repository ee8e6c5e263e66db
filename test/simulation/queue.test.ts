/** What waits: durable, in its order, within its bounds, whatever the storage is and holds (design §3.1, §3.7, §3.8). */
import { expect } from "vitest";
import { each, stories, storiesTwice } from "./story.js";
import { FILED } from "./world-words.js";

const EVENT = `${FILED}event3:`;
/** An event without its text has so many bytes. */
const bytesOf = (name: string): number =>
  JSON.stringify({ contact_uid: "ann", event_uid: name, params: { text: "" } }).length;
const text = (size: number): string => `{"text":"${"x".repeat(size)}"}`;

stories("an event", {
  "is durable before track returns, under a key of its own, and the others stay as they are": async ({
    tell,
    page,
    world,
  }) => {
    await tell("weather silent; A opens");
    world.storage.lag = () => 0;
    await page("A").run(() => {
      page("A").tracker.track("a");
      expect(world.stored()).toEqual(["a"]);
      const before = { ...world.storage.latest() };
      page("A").tracker.track("b");
      expect(world.storage.latest()).toMatchObject(before);
      expect(Object.keys(world.storage.latest()).filter((key) => key.startsWith(EVENT)).length).toBe(2);
    });
    world.onRequest = () => {};
  },
  "keeps its place although the clock is set back": async ({ tell, world, entries }) => {
    await tell(`A opens; ${"A tracks; jump -1000;".repeat(20)} 60 s; waiting `);
    expect(world.names()).toEqual([...entries.keys()]);
  },
  "is sent again as it is, whatever it holds": async ({ tell, world }) => {
    const params = JSON.stringify({ text: '!1700000000000{"contact_uid":"bob"' });
    await tell(
      `weather 503 200; A opens; A tracks 1 ${params}; 100 ms; A crashes; B opens; 60 s; sent e1 e1; waiting `,
    );
    const body = `{"contact_uid":"ann","event_uid":"e1","params":${params}}`;
    expect(world.sent.map((sent) => sent.body)).toEqual([body, body]);
  },
  "that was taken over stays durable although the storage is full": `
    weather silent; A opens stamped; A tracks 2; A leaves; storage full; B opens; 2 s; waiting e1 e2; weather up; 60 s; waiting `,
  "had no room is stored as its page is left, once there is some": `
    storage full; A opens; weather unavailable; A tracks; 8 s; waiting ; storage free; A leaves; waiting e1
    weather up; B opens; 60 s; once`,
  "is in memory, within the bounds, where nothing can be stored": `
    storage denied; A opens nobody maxEvents=2; A tracks 3; A identifies ann; 60 s; sent e2 e3; A told evicted maxEvents, maxBytes e1`,
});

storiesTwice("bounds", {
  "of the count drop the oldest, and report it": `
    weather silent; A opens maxEvents=3; A tracks 5; waiting e3 e4 e5
    A told evicted maxEvents, maxBytes e1, evicted maxEvents, maxBytes e2`,
  // Those that stay fill it to the last byte.
  "of the bytes drop as many of the oldest as it takes, and what is larger than all that may wait": `
    weather silent; A opens maxBytes=1000 stamp=false; A tracks a ${text(200)}; A tracks b ${text(200)}; A tracks c ${text(200)}
    A tracks large ${text(800 - bytesOf("c") - bytesOf("large"))}; 20 ms; waiting c large
    A told evicted maxEvents, maxBytes a, evicted maxEvents, maxBytes b; A tracks huge ${text(1_000)}; 20 ms; waiting c large
    A told evicted maxEvents, maxBytes a, evicted maxEvents, maxBytes b, evicted maxBytes huge`,
  "of one event drop it alone, also where more bytes may wait": `
    weather silent; A opens; A tracks 3; A tracks large ${text(262_144)}; waiting e1 e2 e3; A told evicted maxBytes large`,
  "hold within one task": async ({ tell, world, page }) => {
    await tell("A opens");
    world.onRequest = () => {};
    await page("A").run(() => {
      for (let count = 0; count < 1_010; count++) page("A").tracker.track(`n${count}`);
    });
    expect(world.stored()).toEqual(Array.from({ length: 1_000 }, (_, index) => `n${10 + index}`));
  },
  "of the age drop what has waited for too long, also of a page before": `
    weather silent; A opens maxAgeMs=60000; A tracks; A crashes; 61 s; weather up; B opens maxAgeMs=60000; B tracks; 60 s
    B told evicted maxAgeMs e1; B sent e2`,
  "30 days at most, whatever the option says": `
    weather silent; A opens maxAgeMs=9999999999; A tracks; A crashes; 2592001 s; weather up; B opens maxAgeMs=9999999999
    60 s; B told evicted maxAgeMs e1; requests <2`,
  "of the age hold also where nothing else is tracked":
    "weather silent; A opens maxAgeMs=60000; A tracks; 120 s; waiting ; A told evicted maxAgeMs e1",
  "hold for what was taken over, too": `
    weather silent; A opens maxEvents=3; A tracks 2; 5 s; A crashes; B opens maxEvents=3; 20 s; B tracks 3; 2 s; waiting e3 e4 e5`,
  "make no end of reports where what is told of one tracks the next": async ({ tell, world }) => {
    let told = 0;
    const onError = () => told++ < 9 && page.tracker.track("again");
    const page = await world.open({ maxEvents: 3, onError });
    await tell("weather silent");
    for (let count = 0; count < 4; count++) await page.track(`a${count}`);
    await tell("10 s");
    expect(told).toBe(1);
  },
  "hold for what is found later, too": `
    weather silent; A opens; A tracks 2; B opens maxEvents=3; B tracks 2; 1 s; A crashes; 20 s; B calls "flush"; 1 s
    B told evicted maxEvents, maxBytes e3`,
  "of the age hold by a clock that nobody sets": `
    weather silent; jump -157680000000; A opens maxAgeMs=60000; A tracks 3; jump 157680000000; A tracks; 10 s
    waiting e1 e2 e3 e4; A told `,
  "leave out what was found and is gone": `
    weather refused; A opens; B opens maxEvents=3; A tracks 3; 10 s; A clears; A crashes; weather up; B online; 30 s; once
    weather silent; B tracks 3; 1 s; B told `,
  "are not looked at anew after each of many answers": async ({ tell, page }) => {
    await tell("A opens");
    let measured = 0;
    page("A").window.TextEncoder = class extends TextEncoder {
      override encode(given?: string) {
        measured++;
        return super.encode(given);
      }
    };
    await tell("A tracks 200; 60 s; requests 200");
    expect(measured).toBeLessThan(200 * 10);
  },
});

storiesTwice("a loop that tracks one name", {
  "in two tabs, five minutes of an outage long, takes no room from 20 other events, nor from the page": async ({
    tell,
    entries,
    world,
    page,
  }) => {
    const loop = (letter: string): void => {
      const { tracker, window } = page(letter);
      let turn = 0;
      const again = (): void => {
        // A run of the loop in one task, as of an effect that renders itself, and one by one later.
        for (let count = turn++ ? 1 : 20_000; count; count--) tracker.track("rendered");
        (window.setTimeout as typeof setTimeout)(again, 500);
      };
      again();
    };
    await tell("A opens stamped; B opens stamped; A tracks rendered; 5 s; weather refused; A tracks; 3 s");
    Object.assign(entries.get("rendered")!, { mayRepeat: "it is many events", isDurable: false });
    loop("A");
    await tell("5 s");
    loop("B");
    world.storage.quota = 1_048_576;
    for (let minute = 0; minute < 5; minute++) await tell("A tracks 2; 30 s; B tracks 2; 30 s");
    page("A").window.localStorage.own = "x".repeat(524_288);
    await tell("weather up; A online; B online; 60 s; arrived");
    expect(page("A").problems.map(({ code, detail }) => `${code} ${detail}`)).toContain("throttled rendered");
    // What is throttled takes no number.
    const stamps = world.sent.map(({ body }) => JSON.parse(body).params);
    for (const source of new Set(stamps.map(({ event_source }) => event_source))) {
      const numbers = new Set(stamps.flatMap((one) => (one.event_source === source ? [one.event_seq] : [])));
      expect(Math.max(...numbers)).toBe(numbers.size);
    }
  },
  "fills the queue up to a tenth, then one a second passes, and its end is told with the number": async ({
    tell,
    entries,
    page,
  }) => {
    await tell("A opens maxEvents=40; 5 s; A tracks rendered");
    Object.assign(entries.get("rendered")!, { mayRepeat: "it is many events", isDurable: false });
    const again = (times: number) =>
      page("A").run(() => {
        for (let count = 0; count < times; count++) page("A").tracker.track("rendered");
      });
    await again(44);
    await tell("1 s; requests 36; A told ");
    await again(7);
    await tell("5 s; requests 5; A told throttled rendered");
    expect(page("A").problems).toEqual([{ code: "throttled", detail: "rendered", name: "rendered", count: 9 }]);
  },
  "whose names are made up has a count of each no more: past a thousand of them they are one": async ({
    tell,
    page,
  }) => {
    await tell("A opens maxEvents=4");
    await page("A").run(() => {
      for (let count = 0; count < 1_010; count++) page("A").tracker.track(`n${count}`);
    });
    await tell("waiting n1000 n997 n998 n999");
  },
});

stories("events that lack their contact", {
  "get it with their account, and keep what they hold": async ({ tell, world }) => {
    await tell('A opens nobody; A tracks a {"n":1}; A tracks b {"contact_uid":"no contact"}; 60 s; requests 0');
    await tell("A identifies ann/acme; 60 s; owners ann/acme x2");
    expect(world.sent.map(({ body }) => JSON.parse(body).params)).toEqual([
      { account_uid: "acme", n: 1 },
      { account_uid: "acme", contact_uid: "no contact" },
    ]);
  },
  "are 100 at most, the first, reported once, and neither push out nor are pushed out by the others": `
    weather refused; B opens maxEvents=2; B tracks 3; B told evicted maxEvents, maxBytes e1; B clears; B leaves
    A opens nobody maxEvents=2; A tracks 103; 20 ms; A told evicted identify e104; A identifies ann; A tracks 3; 20 ms; requests <9; weather up; 60 s; waiting `,
  "push out no others by their size, and may be older": `
    weather 0; B opens; B tracks a ${text(500)}; 50 ms; B clears; B leaves; A opens nobody maxBytes=1000 maxAgeMs=9000; A tracks b ${text(800)}; waiting a b; 20 s; waiting b`,
});

stories("a row in the storage", {
  "that is no event is counted where flush finds it":
    "A opens; A tracks; 5 s; row event3:dead:1000000:5 garbage; A flushes 0 0 1",
  ...each(
    ["{", "", '{"event_uid":"a"', "5", "null", "[]", '{"event_uid":"a"}', '{"params":null}', "!", "!5"],
    (row) => [
      `that is no event is removed, counted, and in nobody's way (${row})`,
      `row event3:dead:1000000:5 ${row}; A opens; A tracks; A flushes 1 0 0; 60 s; sent e1; A told ; keys here identity`,
    ],
  ),
  ...each(
    ["event:", "event:dead", "event:dead:", "event:dead:x:y", "event:dead:1:2:3:4:5", "tab", "tab:", "x"],
    (key) => [
      `with the key "${key}", that nobody writes, stalls nothing`,
      `row ${key} garbage; A opens; A tracks; 60 s; sent e1`,
    ],
  ),
});
