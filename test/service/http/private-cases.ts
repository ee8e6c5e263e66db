import { beforeAll, describe, expect, it } from "vitest";
import { ask } from "../support/http-request.js";
import { ALLOWED, preflight } from "../support/preflight.js";
import { expectRefusal } from "../support/refusal.js";
import { ACCESS_TOKEN, type RunningService } from "../support/running-service.js";

const authorization = `Bearer ${ACCESS_TOKEN}`;

/** Who may ask a service that is for its own machine alone. */
export const privateCases = (running: () => RunningService): void => {
  let service: RunningService;
  beforeAll(() => {
    service = running();
  });

  describe("another host than this machine, as after DNS rebinding,", () => {
    it.each([
      "shop.example",
      "shop.example:4100",
      "192.0.2.1",
      "localhost.shop.example",
      "[2001:db8::1]:80",
      "127.0.0.1.shop.example",
    ])("is refused on every path: %s", async (host) => {
      for (const path of ["/demo/events", "/v2/users", "/docs/", "/openapi.json", "/nowhere"]) {
        const { status, body } = await ask(service.url + path, { host, authorization });
        expect([path, status, JSON.parse(body)]).toEqual([
          path,
          421,
          { error: expect.stringContaining("this machine") },
        ]);
      }
    });

    it.each(["localhost", "LOCALHOST:4100", "127.0.0.1", "127.1.2.3:80", "[::1]:4100", "demo.localhost"])(
      "is not %s",
      async (host) => expect((await ask(`${service.url}/demo/events`, { host })).status).toBe(200),
    );
  });

  describe("what asks for no token", () => {
    const paths = ["/demo/events", "/demo/contacts", "/metrics"];

    it.each(["https://shop.example", "null", "http://192.0.2.1", "http://localhost.shop.example"])(
      "is refused to a page of %s",
      async (origin) => {
        for (const path of paths) {
          const answer = await fetch(service.url + path, { headers: { origin } });
          expect(answer.headers.get("access-control-allow-origin")).toBeNull();
          await expectRefusal(answer, 403, /this machine/);
        }
      },
    );

    it.each(["http://127.0.0.1:4200", "http://localhost", "http://[::1]:4200"])(
      "is given, without credentials, to a page of %s",
      async (origin) => {
        const answer = await fetch(`${service.url}/demo/events`, { headers: { origin } });
        expect(answer.status).toBe(200);
        expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
        expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      },
    );

    it.each(["x-forwarded-for", "forwarded"])("is refused to what a proxy passes on: %s", async (name) => {
      for (const path of paths)
        await expectRefusal(
          await fetch(service.url + path, { headers: { [name]: "for=192.0.2.1" } }),
          403,
          /this machine/,
        );
    });
  });

  it.each(["https://shop.example", "null", "http://localhost:3000"])(
    "takes events from a page of %s, and lets it read nothing else",
    async (origin) => {
      const event = { contact_uid: "contact-001", event_uid: "from-elsewhere" };
      const answer = await service.post(event, { origin });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
      expect(await preflight(`${service.url}/v1/track/event`, origin)).toEqual([204, ALLOWED(origin)]);
      for (const path of ["/v2/users", "/v2/events", "/v2/contacts?uid=/v1/track/event", "/openapi.json", "/nowhere"]) {
        expect((await preflight(service.url + path, origin))[1]).not.toHaveProperty("access-control-allow-origin");
        const { headers } = await service.get(path, { authorization, origin });
        expect(headers.get("access-control-allow-origin")).toBeNull();
      }
    },
  );

  it("counts requests by route and status, batches, waiting and refused events", async () => {
    const read = async (): Promise<Map<string, number>> => {
      const answer = await service.get("/metrics", {});
      expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=/);
      const samples = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
      return new Map(
        samples.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
      );
    };
    const before = await read();
    await Promise.all(
      Array.from({ length: 8 }, () => service.post({ contact_uid: "contact-001", event_uid: "counted" })),
    );
    await service.post({ contact_uid: "" });
    await service.post({ contact_uid: "a", event_uid: "b" }, {}, "?api_token=wrong");
    await service.get("/v2/accounts/a");
    await service.get("/v2/accounts/b");
    const after = await read();
    const rise = (name: string): number => after.get(name)! - (before.get(name) ?? 0);
    const requests = (method: string, route: string, status: number): number =>
      rise(`tracklet_http_request_seconds_count{method="${method}",route="${route}",status="${status}"}`);
    expect(requests("POST", "/v1/track/event", 200)).toBe(8);
    expect(requests("POST", "/v1/track/event", 400)).toBe(1);
    expect(requests("GET", "/v2/accounts/:id", 404)).toBe(2);
    expect(rise("tracklet_commit_events_sum")).toBe(8);
    expect(rise("tracklet_commit_seconds_count")).toBe(rise("tracklet_commit_events_count"));
    expect(after.get("tracklet_events_waiting")).toBe(0);
    const refused = (reason: string, workspace = "default") =>
      `tracklet_events_refused_total{reason="${reason}",workspace="${workspace}"}`;
    expect(rise(refused("body"))).toBe(1);
    expect(rise(refused("token", ""))).toBe(1);
    expect(after.get(refused("full"))).toBe(0);
    expect(after.get("process_resident_memory_bytes")).toBeGreaterThan(0);
  });

  it.each(["/healthz", "/readyz"])("is told that all is well: %s", async (path) => {
    const answer = await service.get(path, {});
    expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
  });
};
