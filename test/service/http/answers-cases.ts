import { connect } from "node:net";
import { beforeAll, expect, it } from "vitest";
import { ask } from "../support/http-request.js";
import { expectRefusal } from "../support/refusal.js";
import { API_TOKEN, type RunningService } from "../support/running-service.js";

/** What holds for every answer, of whatever route and status. */
export const answerCases = (running: () => RunningService): void => {
  let service: RunningService;
  beforeAll(() => {
    service = running();
  });

  it.each([
    ["/v1/track/event", "GET", "POST, OPTIONS"],
    ["/v1/track/event", "PUT", "POST, OPTIONS"],
    ["/v2/users", "POST", "GET, HEAD, OPTIONS"],
    ["/v2/accounts/x", "PATCH", "GET, HEAD, OPTIONS"],
  ])("names the allowed methods with 405: %s %s", async (path, method, allow) => {
    const answer = await fetch(service.url + path, { method });
    expect(answer.headers.get("allow")).toBe(allow);
    await expectRefusal(answer, 405, new RegExp(`${method} is not allowed`));
  });

  it("repeats no token where the URL cannot be read", async () => {
    const answer = await fetch(`${service.url}/%zz?api_token=secret-of-mine`);
    await expectRefusal(answer, 400, /^(?!.*secret)/);
  });

  it("has an error body where Expect asks for what nobody knows", async () => {
    const { status, headers, body } = await ask(service.url, { expect: "x", origin: "https://shop.example" });
    expect([status, JSON.parse(body)]).toEqual([417, { error: expect.stringContaining("Expect") }]);
    expect(headers["access-control-allow-origin"]).toBe("https://shop.example");
  });

  it.each([
    ["has sent no token", "/v1/track/event", 401],
    ["takes too long to arrive", `/v1/track/event?api_token=${encodeURIComponent(API_TOKEN)}`, 408],
  ])("ends the connection of a request in time, if it %s", async (_, path, status) => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    const began = Date.now();
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n`);
    socket.write("Content-Type: application/json\r\n\r\n{");
    let text = "";
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\\{"error":`, "s"));
    if (status === 408) expect(await service.metrics()).toMatch(/refused_total\{reason="late",workspace=""\} [1-9]/);
    // The service of these tests gives a request 3 s; its constant is ten times that.
    expect(Date.now() - began).toBeGreaterThan(2_900);
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  it("has an error body even where the request is no HTTP", async () => {
    const socket = connect(new URL(service.url).port as unknown as number, "127.0.0.1");
    socket.end("nonsense\r\n\r\n");
    let text = "";
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\r\n\r\n\{"error":"[^"]+"\}$/s);
  });

  it("counts requests by route and status, batches, waiting and refused events", async () => {
    const read = async (): Promise<Map<string, number>> => {
      const samples = (await service.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
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
    expect([answer.status, await answer.json()]).toMatchObject([200, { status: "ok" }]);
  });
};
