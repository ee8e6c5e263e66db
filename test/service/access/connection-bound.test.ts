import { type AddressInfo, connect } from "node:net";
import Fastify from "fastify";
import { expect, it } from "vitest";
import { keepConnections } from "../../../src/service/access/limits.js";
import { until } from "../support/service.js";

// Elsewhere the other addresses of loopback have to be made first.
it.runIf(process.platform === "linux")(
  "closes the connection of an address whose last request is the oldest, or of who has most where all have too many",
  async () => {
    const app = Fastify();
    app.get("/", async () => "{}");
    const none = { begins: () => {}, listensNoMore: () => {} };
    keepConnections(app, { isOurs: (address) => address.endsWith("127.0.0.9"), most: 2, all: 3, lingerMs: 0, ...none });
    await app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = app.server.address() as AddressInfo;
    const open = async (localAddress: string) => {
      const one = { socket: connect({ port, host: "127.0.0.1", localAddress }), answer: "", closed: false };
      one.socket.on("close", () => (one.closed = true)).on("data", (data) => (one.answer += data));
      one.socket.on("error", () => {});
      const asks = async () => {
        one.answer = "";
        one.socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        await until(() => one.answer || one.closed);
      };
      await asks();
      return { asks, isClosed: () => one.closed, end: () => one.socket.destroy() };
    };
    const [first, second, other] = [await open("127.0.0.1"), await open("127.0.0.1"), await open("127.0.0.2")];
    await first.asks();
    const third = await open("127.0.0.1");
    await until(() => second.isClosed());
    // A web server in front has as many as it needs.
    const front = [await open("127.0.0.9"), await open("127.0.0.9"), await open("127.0.0.9")];
    // One of another network takes the place of one of those who have most.
    const [last] = [await open("127.0.0.3")];
    await until(() => first.isClosed());
    for (const one of [third, other, last, ...front]) {
      await one.asks();
      expect(one.isClosed()).toBe(false);
      one.end();
    }
    await app.close();
  },
);
