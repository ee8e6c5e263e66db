import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

/** A request with header fields that `fetch` keeps to itself, such as `Host`. */
export const ask = async (url: string, headers: Record<string, string>, method = "GET") => {
  const sent = request(url, { method, headers, agent: false }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
};
