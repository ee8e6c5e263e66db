import { connect } from "node:net";
import { expect, it } from "vitest";
import { expectRefusal, useService } from "../support/fixtures.js";
import { ACCESS_TOKEN, API_TOKEN, ask } from "../support/service.js";

/* What holds for every answer, of whatever route and status, and what describes them. That answers have this form is a property of the model. */

const service = useService({ requestTimeoutMs: 3_000, adminToken: "test-admin-token" });
/** What is said to these bytes until the connection ends. */
const say = async (bytes: string, isAll = false): Promise<string> => {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  if (isAll) socket.end(bytes);
  else socket.write(bytes);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
};

it("is shown on a page that is in no frame and loads nothing from elsewhere", async () => {
  const answer = await service.get("/docs/", {});
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": expect.stringContaining("text/html"),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "content-security-policy": expect.stringMatching(/^default-src 'none'; .*script-src 'self';/),
  });
  expect(await (await service.get("/docs", {})).text()).toContain("swagger-ui");
});

it("is described with the schemas that check it: each operation, which asks for its token first; other methods are refused", async () => {
  const { openapi, paths, components } = await service.json("/openapi.json");
  expect(openapi).toMatch(/^3\.1\./);
  type Operation = { security: object[]; responses: Record<string, object> };
  const described = Object.entries<Record<string, Operation>>(paths);
  expect(described.length).toBeGreaterThan(20);
  const error = { content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };
  const wrong = ["", "Bearer wrong", "Bearer", "Basic dGVzdC1hY2Nlc3MtdG9rZW46", "test-access-token"];
  for (const [path, all] of described) {
    const url = `${service.url}${path.replace(/\{.*\}/, "x")}?limit=x`;
    const other = await fetch(url, { method: "PATCH" });
    const allowed = other.headers.get("allow")!.toLowerCase().split(", ");
    expect([path, ...allowed.filter((one) => one !== "head").sort()]).toEqual(
      [path, ...Object.keys(all), "options"].sort(),
    );
    await expectRefusal(other, 405, /PATCH is not allowed/);
    for (const [method, { security, responses }] of Object.entries(all)) {
      for (const authorization of wrong) {
        const answer = await fetch(url, { method, headers: { authorization } });
        expect(answer.headers.get("www-authenticate"), path).toMatch(/^(Bearer|Basic|ApiToken) realm=/);
        await expectRefusal(answer, 401, /token is (missing|wrong)/);
      }
      expect(security).toEqual(path.startsWith("/v1/") ? [{ apiToken: [] }, { basic: [] }] : [{ bearer: [] }]);
      for (const [status, response] of Object.entries(responses))
        if (Number(status) >= 400) expect(response).toMatchObject(error);
    }
  }
  expect((await service.get("/v2/users", { authorization: "bearer test-access-token" })).status).toBe(200);
  expect(components.securitySchemes).toMatchObject({
    bearer: { type: "http", scheme: "bearer" },
    basic: { type: "http", scheme: "basic" },
    apiToken: { type: "apiKey", in: "query", name: "api_token" },
  });
  expect(components.schemas.Event.required).toEqual(["contact_uid", "event_uid"]);
  const bounds = (path: string) =>
    paths[path].get.parameters.flatMap(({ name, schema }: Parameter) =>
      schema.type === "integer" || schema.enum ? [[name, schema.minimum, schema.maximum, schema.enum].join(" ")] : [],
    );
  const users = ["offset 0  ", "limit 1  ", "order   asc,desc", "sort   created_at"];
  const events = ["since 0  ", "until 0  ", "order   asc,desc", "limit 1 10000 ", "names   true,false"];
  expect([bounds("/v2/users"), bounds("/v2/events")]).toEqual([users, events]);
});

/** What a parameter of a schema cannot be. */
const wrongOf = ({ type, minimum = 0, maximum, ...text }: Parameter["schema"]): unknown[] => {
  if (type === "integer") return ["", "x", "1.5", "0x10", "1e1", minimum - 1, ...(maximum ? [maximum + 1] : [])];
  return ["", "OTHER"].slice(0, text.enum || text.pattern ? 2 : (text.minLength ?? 0));
};
interface Parameter {
  name: string;
  in: string;
  schema: { type?: string; minimum?: number; maximum?: number; minLength?: number; enum?: string[]; pattern?: string };
}

it("refuses what a parameter cannot be by its description, and twice of one, in words that name it", async () => {
  const { paths } = await service.json("/openapi.json");
  for (const [path, { get }] of Object.entries<{ get?: { parameters?: Parameter[] } }>(paths))
    for (const { name, schema } of get?.parameters?.filter((one) => one.in === "query") ?? [])
      for (const wrong of [...wrongOf(schema), `1&${name}=2`]) {
        const url = `${path.replace("{id}", crypto.randomUUID()).replace("{name}", "active")}?${name}=${wrong}`;
        const authorization = `Bearer ${path === "/v2/contacts/data" ? "test-admin-token" : ACCESS_TOKEN}`;
        await expectRefusal(await service.get(url, { authorization }), 400, RegExp(`(^|; )${name} must`));
      }
});

it("has an error body where the URL, an Expect or the request cannot be read, and repeats no token", async () => {
  const answer = await fetch(`${service.url}/%zz?api_token=secret-of-mine`);
  await expectRefusal(answer, 400, /^(?!.*secret)/);
  const { status, headers, body } = await ask(service.url, { expect: "x", origin: "https://shop.example" });
  expect([status, JSON.parse(body)]).toEqual([417, { error: expect.stringContaining("Expect") }]);
  expect(headers["access-control-allow-origin"]).toBe("https://shop.example");
  expect(await say("nonsense\r\n\r\n", true)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\r\n\r\n\{"error":"[^"]+"\}$/s);
});

it.each([
  ["has sent no token", "/v1/track/event", 401],
  ["takes too long to arrive", `/v1/track/event?api_token=${encodeURIComponent(API_TOKEN)}`, 408],
])("ends the connection of a request in time, if it %s", async (_, path, status) => {
  const began = Date.now();
  const fields = "Host: localhost\r\nContent-Length: 99\r\nContent-Type: application/json\r\n";
  const text = await say(`POST ${path} HTTP/1.1\r\n${fields}\r\n{`);
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\\{"error":`, "s"));
  if (status === 408) expect(await service.metrics()).toMatch(/refused_total\{reason="late",workspace=""\} [1-9]/);
  // The service of these tests gives a request 3 s; its constant is ten times that.
  expect(Date.now() - began).toBeGreaterThan(2_900);
  expect(Date.now() - began).toBeLessThan(10_000);
});

it("counts requests by route and status, batches, waiting and refused events", async () => {
  const read = async () =>
    new Map(
      [...(await service.metrics()).matchAll(/^([^#].*) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
  const before = await read();
  const event = { contact_uid: "contact-001", event_uid: "counted" };
  await Promise.all(Array.from({ length: 8 }, () => service.post(event)));
  await service.post({ contact_uid: "" });
  await service.post(event, {}, "?api_token=wrong");
  for (const id of ["a", "b"]) await service.get(`/v2/accounts/${id}`);
  const after = await read();
  const rises = (sample: string) => after.get(sample)! - (before.get(sample) ?? 0);
  const requests = (method: string, route: string, status: number) =>
    rises(`tracklet_http_request_seconds_count{method="${method}",route="${route}",status="${status}"}`);
  expect(requests("POST", "/v1/track/event", 200)).toBe(8);
  expect(requests("POST", "/v1/track/event", 400)).toBe(1);
  expect(requests("GET", "/v2/accounts/:id", 404)).toBe(2);
  expect(rises("tracklet_commit_events_sum")).toBe(8);
  expect(rises("tracklet_commit_seconds_count")).toBe(rises("tracklet_commit_events_count"));
  expect(rises('tracklet_events_refused_total{reason="body",workspace="default"}')).toBe(1);
  expect(rises('tracklet_events_refused_total{reason="token",workspace=""}')).toBe(1);
  expect(after.get("tracklet_events_waiting")).toBe(0);
  expect(after.get("process_resident_memory_bytes")).toBeGreaterThan(0);
});
