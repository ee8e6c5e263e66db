import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { expectRefusal, useService } from "../support/fixtures.js";
import { basic } from "../support/service.js";

const ADMIN = "test-admin-token";
const NDJSON = { "content-type": "application/x-ndjson" };

/* `POST /v1/track/events`. */

let isBroken = false;
const service = useService((database) => ({
  database: {
    ...database,
    // What names this contact cannot be written.
    write: (statements, node) =>
      isBroken && JSON.stringify(statements).includes("poison")
        ? Promise.reject(Object.assign(new Error("this row cannot be written"), { code: "22000" }))
        : database.write(statements, node),
  },
  adminToken: ADMIN,
  maxEventBytes: 2_000,
  logLevel: "silent",
}));
const limited = useService({
  trustProxy: ["loopback"],
  publicUrl: "https://track.example.com",
  addressQuota: 1,
  rateLimit: 3_000,
});

let contacts = 0;
const newContact = (): string => `contact-of-batch-${++contacts}`;
const send: typeof service.several = (...sent) => service.several(...sent);

describe("one verdict an event", () => {
  it("says what became of each, and one that is wrong fails no other", async () => {
    const contact_uid = newContact();
    const stamp = { event_id: randomUUID(), event_source: randomUUID(), event_seq: 1 };
    const stamped = { contact_uid, event_uid: "a", params: stamp };
    const large = { contact_uid, event_uid: "c", params: { filler: "x".repeat(2_000) } };
    const odd = { contact_uid, event_uid: "d", extra: 1 };
    const answer = await send([stamped, { event_uid: "b" }, stamped, 7, large, odd]);
    expect([answer.status, await answer.json()]).toEqual([
      207,
      [
        { index: 0, status: "stored" },
        { index: 1, status: "refused", why: "contact_uid is missing" },
        { index: 2, status: "repeated" },
        { index: 3, status: "refused", why: "the event must be an object" },
        { index: 4, status: "refused", why: "the event is over 2000 bytes" },
        { index: 5, status: "stored", ignored: ["extra"] },
      ],
    ]);
    expect((await service.events(contact_uid)).rows.map(({ event_uid }) => event_uid)).toEqual(["a", "d"]);
    expect((await service.post(stamped)).status).toBe(200);
    expect(await (await send([stamped])).json()).toEqual([{ index: 0, status: "repeated" }]);
    const metrics = await service.metrics();
    expect(metrics).toMatch(/refused_total\{reason="body",workspace="default"\} 2$/m);
    expect(metrics).toMatch(/refused_total\{reason="large",workspace="default"\} 1$/m);
  });

  it.each<[string, (events: string[]) => string, Record<string, string>]>([
    ["an array", (events) => `[ ${events.join(" ,\n")} ]`, {}],
    ["an array of text/plain", (events) => `[${events}]`, { "content-type": "text/plain" }],
    ["lines", (events) => `${events.join("\r\n")}\n\n`, NDJSON],
  ])("stores params letter by letter, from %s, compressed or not", async (_, write, headers) => {
    const params = String.raw`{"a":1e400,"a":[1.10,"]},{\"\\"],"\u0061":{"b":[[]]}}`;
    for (const zip of [false, true]) {
      const contact_uid = newContact();
      const event = (name: string) => `{"params": ${params},"contact_uid":"${contact_uid}","event_uid":"${name}"}`;
      const body = write([event("one"), event("two")]);
      const answer = await (zip
        ? send(gzipSync(body), { ...headers, "content-encoding": "gzip" })
        : send(body, headers));
      expect([answer.status, (await answer.json()).length]).toEqual([200, 2]);
      const { text } = await service.events(contact_uid);
      for (const name of ["one", "two"]) expect(text).toContain(`"event_uid":"${name}","params":${params},"settled"`);
    }
  });

  it("names the line that is no JSON, and stores the others", async () => {
    const contact_uid = newContact();
    const line = JSON.stringify({ contact_uid, event_uid: "line" });
    expect(await (await send(`${line}\n{"contact_uid":\n${line}`, NDJSON)).json()).toMatchObject([
      { status: "stored" },
      { status: "refused", why: expect.stringMatching(/^the event must be JSON/) },
      { status: "stored" },
    ]);
    expect((await service.events(contact_uid)).rows).toHaveLength(2);
  });

  it("says again of what cannot be stored now, and 5xx where that is all", async () => {
    const rows = (uid: string) => [
      { contact_uid: uid, event_uid: "a" },
      { contact_uid: "poison", event_uid: "b" },
    ];
    isBroken = true;
    try {
      expect(await (await send(rows(newContact()))).json()).toEqual([
        { index: 0, status: "stored" },
        { index: 1, status: "again", why: "the service failed" },
      ]);
      await expectRefusal(await send(rows("poison")), 500, /^the service failed$/);
    } finally {
      isBroken = false;
    }
    expect(await (await send(rows("poison"))).json()).toMatchObject([{ status: "stored" }, { status: "stored" }]);
  });
});

it.each<[string, unknown, Record<string, string>, number, RegExp]>([
  ["an event alone", { contact_uid: "c", event_uid: "e" }, {}, 400, /must be an array of events, or one event a line/],
  ["no JSON", '[{"contact_uid":"c","event_uid":"e"}', {}, 400, /must be JSON/],
  ["over 1,000 events", Array(1_001).fill({}), {}, 413, /over 1000 events/],
  ["over 1 MB", JSON.stringify(["x".repeat(1_000_000)]), {}, 413, /over 1000000 bytes/],
  ["what unpacks to over 1 MB", gzipSync("0".repeat(1_000_001)), { "content-encoding": "gzip" }, 413, /over 1000000/],
  ["what is not packed", "[]", { "content-encoding": "gzip" }, 400, /not gzip/],
  ["another packing", "[]", { "content-encoding": "br" }, 415, /br is not understood/],
  ["another type", "[]", { "content-type": "text/html" }, 415, /content type/],
])("is refused as a whole: %s", async (_, body, headers, status, text) =>
  expectRefusal(await send(body, headers), status, text),
);

// How it is offered to pages, and open to them: `npx tracklet conform`, in contract/service.
it("is offered with no event that is refused, and open to the operator, whose token is in no URL, which logs keep", async () => {
  expect((await service.post({ event_uid: "e" })).headers.get("tracklet-batch")).toBeNull();
  await expectRefusal(await service.post([]), 400, /\/v1\/track\/events takes several/);
  const event = { contact_uid: "c", event_uid: "e" };
  await expectRefusal(await service.post(event, basic(`${ADMIN}:`), ""), 401, /wrong/);
  await expectRefusal(await send([event], {}, `?api_token=${ADMIN}`), 401, /wrong/);
});

it("looks at no more of a page's request after ten events that are wrong: those stay with who sent them", async () => {
  const contact_uid = newContact();
  const right = { contact_uid, event_uid: "kept" };
  const events = [right, ...Array.from({ length: 12 }, () => ({ contact_uid })), right];
  const statuses = (verdicts: { status: string }[]) => verdicts.map(({ status }) => status[0]).join("");
  const answer = await send(events);
  expect([answer.status, statuses(await answer.json())]).toEqual([207, "srrrrrrrrrraaa"]);
  expect((await service.events(contact_uid)).rows).toHaveLength(1);
  // A server hears of all.
  expect(statuses(await (await send(events, basic(`${ADMIN}:`), "")).json())).toBe("srrrrrrrrrrrrs");
});

it("keeps the time of what the operator sends, and of nobody else", async () => {
  const contact_uid = newContact();
  const received_at = Date.UTC(2020, 0, 2);
  const event = { contact_uid, event_uid: "old", received_at, params: { occurred_at: received_at - 5_000 } };
  expect(await (await send([event])).json()).toEqual([{ index: 0, status: "stored", ignored: ["received_at"] }]);
  const wrong = [Date.now() + 3_600_000, -1, 1.5, "2020-01-02"].map((time) => ({ ...event, received_at: time }));
  expect(await (await send([event, event, ...wrong], basic(`${ADMIN}:`), "")).json()).toMatchObject([
    { status: "stored" },
    { status: "stored" },
    ...wrong.map(() => ({ status: "refused", why: expect.stringMatching(/^received_at must be/) })),
  ]);
  const { data } = await service.json(`/v2/events?contact_uid=${contact_uid}&until=2020-01-03&since=2020-01-02`);
  expect(data).toHaveLength(2);
  expect(data[0]).toMatchObject({ received_at, occurred_at: received_at - 5_000 });
  const { data: all } = await service.json(`/v2/events?contact_uid=${contact_uid}`);
  expect(all.map((one: { received_at: number }) => one.received_at === received_at)).toEqual([false, true, true]);
});
it("holds the quota for the sum of its events", async () => {
  const send = async (events: object[]) => {
    const answer = await limited.several(events, { "x-forwarded-for": "192.0.2.1" });
    return [answer.status, answer.headers.get("retry-after") !== null];
  };
  // Each counts for 512 bytes.
  const events = Array.from({ length: 1_000 }, (_, n) => ({ contact_uid: "sum", event_uid: `${n}` }));
  expect(await send(events)).toEqual([200, false]);
  expect(await send(events)).toEqual([429, true]);
  expect(await send(events.slice(0, 900))).toEqual([200, false]);
  const { data } = await limited.json("/v2/events?contact_uid=sum&limit=1000");
  expect(data).toHaveLength(1_000);
  const single = await limited.post({ contact_uid: "c", event_uid: "e" });
  expect(single.status).toBe(200);
});

it("counts each line as a request, right or wrong, packed or not", async () => {
  const body = gzipSync('{"contact_uid":1}\n'.repeat(1_000));
  const headers = { ...NDJSON, "content-encoding": "gzip", "x-forwarded-for": "192.0.2.2" };
  const send = async () => (await limited.several(body, headers)).status;
  expect([await send(), await send(), await send(), await send()]).toEqual([207, 207, 207, 429]);
});
