import { beforeAll, expect, it } from "vitest";
import { openStream } from "./event-stream.js";
import { expectRefusal } from "./refusal.js";
import { type RunningService, startService, until } from "./running-service.js";

/** The stream of the live page. Closes the service in its last test. */
export const liveCases = (running: () => RunningService): void => {
  let service: RunningService;
  beforeAll(() => {
    service = running();
  });

  const names = (stream: Awaited<ReturnType<typeof openStream>>): string[] =>
    stream.messages.map(({ data }) => data.event_uid);
  const arrived = (stream: Awaited<ReturnType<typeof openStream>>, count: number) =>
    until(() => (stream.messages.length >= count ? stream.messages : undefined));

  it("sends each event that is committed after the connection began, once, to every listener", async () => {
    await service.post({ contact_uid: "contact-001", event_uid: "before" });
    const streams = [await openStream(service.url), await openStream(service.url, { origin: "http://localhost:4200" })];
    expect(streams[1]!.answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(streams[1]!.answer.headers.get("access-control-allow-origin")).toBe("http://localhost:4200");

    await service.post('{"contact_uid":"contact-002","event_uid":"live","params":{\n"text":\r\n"a\\nb"}}');
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        service.post({ contact_uid: "contact-003", event_uid: `burst-${index}` }),
      ),
    );
    const { events } = await (await service.get("/demo/events?event_uid=live")).json();
    for (const stream of streams) {
      await arrived(stream, 31);
      expect(stream.messages[0]).toMatchObject({ type: "event", data: events[0] });
      expect(stream.messages[0]!.data.params).toEqual({ text: "a\nb" });
      expect(new Set(names(stream)).size).toBe(31);
      expect(names(stream)).not.toContain("before");
      stream.close();
      await stream.ended;
    }
  });

  it("goes on after the last event that a client has seen", async () => {
    const earlier = await openStream(service.url);
    await service.post({ contact_uid: "contact-001", event_uid: "seen" });
    await arrived(earlier, 1);
    earlier.close();
    for (const event_uid of ["missed-1", "missed-2"]) await service.post({ contact_uid: "contact-001", event_uid });
    const stream = await openStream(service.url, { "last-event-id": earlier.reached() });
    await arrived(stream, 2);
    await service.post({ contact_uid: "contact-001", event_uid: "next" });
    await arrived(stream, 3);
    expect(names(stream)).toEqual(["missed-1", "missed-2", "next"]);
    stream.close();
    await stream.ended;
  });

  it.each(["999999999", "nonsense", "!", "AAAA"])("begins with the present where the last id is %s", async (id) => {
    const stream = await openStream(service.url, { "last-event-id": id });
    await service.post({ contact_uid: "contact-001", event_uid: `after ${id}` });
    await arrived(stream, 1);
    expect(names(stream)).toEqual([`after ${id}`]);
    stream.close();
    await stream.ended;
  });

  it("misses nothing and repeats nothing for clients that go on from where they were while events arrive", async () => {
    const earlier = await openStream(service.url);
    const post = async (name: number): Promise<void> => {
      for (let number = 0; number < 40; number += 1)
        await service.post({ contact_uid: "contact-001", event_uid: `${name}-${number}` });
    };
    const posts = Promise.all([0, 1, 2, 3].map(post));
    await arrived(earlier, 20);
    earlier.close();
    await earlier.ended;
    const streams = await Promise.all(
      [1, 2, 3].map(() => openStream(service.url, { "last-event-id": earlier.reached() })),
    );
    await posts;
    const before = earlier.messages.slice(0, earlier.messages.findLastIndex(({ id }) => id !== undefined) + 1);
    for (const stream of streams) {
      await arrived(stream, 160 - before.length);
      expect(new Set([...before, ...stream.messages].map(({ data }) => data.event_uid)).size).toBe(160);
      expect(before.length + stream.messages.length).toBe(160);
      stream.close();
      await stream.ended;
    }
  });

  it("sends heartbeats while nothing happens", async () => {
    const stream = await openStream(service.url);
    await until(() => (stream.comments.filter((comment) => comment === "heartbeat").length >= 2 ? true : undefined));
    expect(stream.messages).toEqual([]);
    stream.close();
    await stream.ended;
  });

  it("tells a client that a repeat of a stamped event is none", async () => {
    const stream = await openStream(service.url);
    const stamped = { contact_uid: "contact-001", event_uid: "stamped", params: { event_id: "live-stamp" } };
    for (const event of [stamped, stamped, { contact_uid: "contact-001", event_uid: "last" }])
      await service.post(event);
    await arrived(stream, 2);
    expect(names(stream)).toEqual(["stamped", "last"]);
    stream.close();
    await stream.ended;
  });

  it("limits requests and streams, readably for a page, and ends the streams when the service closes", async () => {
    const stream = await openStream(service.url);
    await service.close();
    await stream.ended;

    const limited = await startService({ dataFolder: service.folder, rateLimit: 3, maxStreams: 2 });
    const event = { contact_uid: "contact-001", event_uid: "limited" };
    for (let number = 0; number < 3; number += 1) expect((await limited.post(event)).status).toBe(200);
    // Neither a preflight nor the demo's live page uses up the limit.
    const preflight = await fetch(`${limited.url}/v1/track/event`, { method: "OPTIONS", headers: { origin: "null" } });
    expect(preflight.status).toBe(204);
    const refused = await limited.post(event, { origin: "https://shop.example" });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ error: expect.stringContaining("too many requests") });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("access-control-expose-headers")).toBe("Retry-After");
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://shop.example");
    expect((await limited.post(event, {}, "?api_token=guess")).status).toBe(429);

    const streams = [await openStream(limited.url), await openStream(limited.url)];
    const full = await limited.get("/demo/events/stream", { origin: "http://localhost:4200" });
    expect(full.headers.get("retry-after")).toBe("10");
    expect(full.headers.get("access-control-allow-origin")).toBe("http://localhost:4200");
    await expectRefusal(full, 503, /2 live pages already/);
    // One that ends makes room.
    streams[0]!.close();
    await until(async () => ((await openStream(limited.url)).answer.status === 200 ? true : undefined));
    await limited.close();
    await streams[1]!.ended;
  });
};
