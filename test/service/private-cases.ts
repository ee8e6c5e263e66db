import { beforeAll, describe, expect, it } from "vitest";
import { ask } from "./http-request.js";
import { expectRefusal } from "./refusal.js";
import { ACCESS_TOKEN, type RunningService } from "./running-service.js";

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
      for (const path of ["/demo/events", "/demo/events/stream", "/v2/users", "/docs/", "/openapi.json", "/nowhere"]) {
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
    const paths = ["/demo/events", "/demo/contacts", "/demo/events/stream"];

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

  it.each(["/healthz", "/readyz"])("is told that all is well: %s", async (path) => {
    const answer = await service.get(path, {});
    expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
  });
};
