import { expect, it } from "vitest";
import { ALLOWED, preflight, useService } from "../support/fixtures.js";
import { ACCESS_TOKEN, ask } from "../support/service.js";

/* Who may ask a service that is for trying out: its tokens are known to everybody. */

const service = useService({ demo: "on" });
const authorization = `Bearer ${ACCESS_TOKEN}`;

it.each(
  "shop.example shop.example:4100 192.0.2.1 localhost.shop.example [2001:db8::1]:80 127.0.0.1.shop.example".split(" "),
)("refuses another host than this machine on every path, as after DNS rebinding: %s", async (host) => {
  for (const path of ["/v2/users", "/docs/", "/openapi.json", "/nowhere"]) {
    const { status, body } = await ask(service.url + path, { host, authorization });
    expect([path, status, JSON.parse(body).error]).toEqual([path, 421, expect.stringContaining("this machine")]);
  }
});

it.each("localhost LOCALHOST:4100 127.0.0.1 127.1.2.3:80 [::1]:4100 demo.localhost".split(" "))(
  "is this machine: %s",
  async (host) => expect((await ask(`${service.url}/v2/users`, { host, authorization })).status).toBe(200),
);

it.each(["https://shop.example", "null", "http://localhost:3000"])(
  "takes events from a page of %s, and lets it read nothing else",
  async (origin) => {
    const answer = await service.post({ contact_uid: "contact-001", event_uid: "from-elsewhere" }, { origin });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
    expect(await preflight(`${service.url}/v1/track/event`, origin)).toEqual([204, ALLOWED(origin)]);
    for (const path of ["/v2/users", "/v2/events", "/v2/contacts?uid=/v1/track/event", "/openapi.json", "/nowhere"]) {
      expect((await preflight(service.url + path, origin))[1]).not.toHaveProperty("access-control-allow-origin");
      const { headers } = await service.get(path, { authorization, origin });
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  },
);
