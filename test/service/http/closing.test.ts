import { once } from "node:events";
import { rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { dataFolder } from "../../support/data-folder.js";
import { outcomeOf } from "../support/http-request.js";
import { API_TOKEN, startService, until } from "../support/running-service.js";
import { spawnService } from "../support/service-process.js";

const BODY = JSON.stringify({ contact_uid: "contact-001", event_uid: "closing" });
const HEADERS = { "content-type": "application/json", "content-length": BODY.length };
const pathOf = (token: string) => `/v1/track/event?api_token=${encodeURIComponent(token)}`;

it("answers what is sent on kept and on new connections while the service closes", async () => {
  const service = await startService({ lingerMs: 1_000 });
  const { port } = service.app.server.address() as AddressInfo;
  const open = async () => {
    const connection = { socket: connect(port, "127.0.0.1"), said: "", ended: false };
    connection.socket.on("data", (text) => (connection.said += text));
    connection.socket.on("error", ({ message }) => (connection.said += message));
    connection.socket.on("close", () => (connection.ended = true));
    await once(connection.socket, "connect");
    return {
      ...connection,
      /** What is answered to one more event; what happens to the connection where there is no answer. */
      post: async (): Promise<string> => {
        connection.said = "";
        const fields = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
        connection.socket.write(
          `POST ${pathOf(API_TOKEN)} HTTP/1.1\r\nHost: localhost\r\n${fields.join("")}\r\n${BODY}`,
        );
        return until(() => (connection.ended || connection.said.endsWith("}") ? connection.said : undefined));
      },
      hasEnded: () => connection.ended || undefined,
    };
  };
  const [first, ...kept] = await Promise.all(Array.from({ length: 51 }, open));
  for (const connection of [first!, ...kept]) expect(await connection.post()).toMatch(/connection: keep-alive/i);
  // As browsers hold them in reserve: no request was ever on it.
  const reserve = await open();

  const closed = service.close();
  // From the moment on in which it says so.
  await until(async () => /connection: close|^(?!HTTP)/i.test(await first!.post()) || undefined);
  const unused = kept.pop()!;
  const answers = await Promise.all([...kept, reserve, await open()].map((connection) => connection.post()));
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n.*connection: close\r\n/is);
  await closed;
  await until(unused.hasEnded);
  await service.stop();
});

it("cuts none of 200 requests a second when the process is told to end", async () => {
  const [rounds, each] = process.env.TEST_ALL ? [10, 500] : [1, 200];
  const folder = await dataFolder();
  const outcomes: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    const service = spawnService({ TRACKLET_DATA: folder, TRACKLET_SEED: "off" });
    const url = await service.ready();
    // Takes its connections in turn: each of them rests for a quarter of a second.
    const agent = new Agent({ keepAlive: true, maxSockets: 50, scheduling: "fifo" });
    const post = (): Promise<string> =>
      outcomeOf(request(url + pathOf("demo-api-token"), { agent, method: "POST", headers: HEADERS }).end(BODY));
    await Promise.all(Array.from({ length: 50 }, post));
    const under: Promise<void>[] = [];
    let refused = false;
    for (let number = 0; !refused; number += 1) {
      if (number === each) void service.child.kill("SIGTERM");
      under.push(
        post().then((outcome) => {
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
          refused ||= outcome === "refused";
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(under);
    expect((await service.closed).code).toBe(0);
    agent.destroy();
  }
  await rm(folder, { recursive: true });
  expect(outcomes).toEqual({ "200": expect.any(Number), refused: expect.any(Number) });
  expect(outcomes["200"]).toBeGreaterThan(rounds * each);
  expect(outcomes.refused).toBeLessThan(rounds * 10);
}, 300_000);
