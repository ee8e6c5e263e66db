/** What a service, a proxy or an injected `fetch` that has gone wrong must not do to a Node process. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "./node-program.js";

const MIB = 1_048_576;
const BODY_BYTES = 300 * MIB;

/** Sends 300 MiB of a JSON text with the status that the path ends in, as fast as they are taken. */
const flood = () => {
  const seen = { requests: 0, bytes: 0 };
  const part = Buffer.alloc(MIB / 4, "a");
  const server = createServer((request, response) => {
    request.resume();
    seen.requests += 1;
    let left = BODY_BYTES;
    response.writeHead(Number(/\d{3}$/.exec(request.url!)?.[0]), { "content-length": left });
    const send = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= part.length;
        seen.bytes += part.length;
        if (!response.write(part)) return void response.once("drain", send);
      }
      response.end();
    };
    send();
  });
  return { seen, server };
};

describe("a body of 300 MiB", () => {
  let server: Server;
  let seen: ReturnType<typeof flood>["seen"];
  beforeEach(async () => {
    ({ server, seen } = flood());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );

  /** Tells how the call ended, and by how many MiB the process has grown at most. */
  const call = async (expression: string) => {
    const { exitCode, stdout, stderr } = await runProgram(
      `
        import { createReader } from "tracklet/read";
        import { sendEvent } from "tracklet/send";
        const url = process.env.SERVICE_URL;
        const reader = createReader({ baseUrl: url, accessToken: "token" });
        const config = { apiToken: "token", retries: 0, trackUrl: url };
        const event = { contact_uid: "c", event_uid: "e" };
        const before = process.resourceUsage().maxRSS;
        const outcome = await (${expression}).then(
          () => "done",
          ({ name, status, error }) => [name, status, error],
        );
        console.log(JSON.stringify({ outcome, grownMiB: (process.resourceUsage().maxRSS - before) / 1024 }));
      `,
      { SERVICE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    return JSON.parse(stdout) as { outcome: unknown; grownMiB: number };
  };

  // What is under way in the sockets and in the streams comes on top of what is read; unbounded, it is 900 MiB.
  it.each([
    ["ends a look-up", `reader.accounts.get("200")`, ["ApiError", 200, "body: longer than 16 MiB"], 200],
    [
      "ends an event that is refused",
      `sendEvent({ ...config, eventPath: "/500" }, event)`,
      ["ApiError", 500, "body: longer than 1 MiB"],
      100,
    ],
    ["does not hinder an event that is accepted", `sendEvent({ ...config, eventPath: "/200" }, event)`, "done", 100],
  ])(
    "%s, and memory stays bounded",
    async (_, expression, expected, maxMiB) => {
      const { outcome, grownMiB } = await call(expression);
      expect(outcome).toEqual(expected);
      expect(grownMiB).toBeLessThan(maxMiB);
      expect(seen.requests).toBe(1);
      expect(seen.bytes).toBeLessThan(BODY_BYTES / 4);
    },
    60_000,
  );
});

it("whatever an injected fetch throws, every call rejects, and the process goes on", async () => {
  const { exitCode, stdout, stderr } = await runProgram(`
    import { createReader } from "tracklet/read";
    import { sendEvent } from "tracklet/send";
    const fail = () => { throw new Error("a getter"); };
    const thrown = {
      symbol: Symbol("failed"),
      withoutPrototype: Object.create(null),
      causeThrows: { get cause() { return fail(); } },
      codeThrows: new Error("failed", { cause: { get code() { return fail(); } } }),
      textThrows: { toString: fail },
      nothing: undefined,
    };
    for (const [name, reason] of Object.entries(thrown))
      for (const fetch of [() => Promise.reject(reason), () => { throw reason; }]) {
        const reader = createReader({ baseUrl: "http://127.0.0.1:9", accessToken: "token", retries: 0, fetch });
        const config = { trackUrl: "http://127.0.0.1:9", apiToken: "token", retries: 0, fetch };
        const event = { contact_uid: "c", event_uid: "e" };
        for (const call of [() => reader.accounts.get("1"), () => reader.users.list(), () => sendEvent(config, event)])
          await call().then(() => console.log("done"), (error) => console.log(name, error.name, error.cause.message));
      }
  `);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const causes = {
    symbol: "Symbol(failed)",
    withoutPrototype: "unknown",
    causeThrows: "unknown",
    codeThrows: "unknown",
    textThrows: "unknown",
    nothing: "undefined",
  };
  const lines = Object.entries(causes).flatMap(([name, cause]) => Array(6).fill(`${name} ConnectionError ${cause}`));
  expect(stdout.trim().split("\n")).toEqual(lines);
}, 60_000);
