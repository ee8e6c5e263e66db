/** The floor of HTTP: Fastify alone, on the route of events. It parses the body and answers; it keeps nothing. */
import type { AddressInfo } from "node:net";
import Fastify from "fastify";

const app = Fastify();
app.post("/v1/track/event", async () => ({ status: "success" }));
await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`service ready at http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
