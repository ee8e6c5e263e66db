import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";

/** A request with header fields that `fetch` keeps to itself, such as `Host`. */
export const ask = async (url: string, headers: Record<string, string>, method = "GET") => {
  const sent = request(url, { method, headers, agent: false }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const bytes = await buffer(answer);
  return { status: answer.statusCode, headers: answer.headers, body: bytes.toString(), bytes };
};

/** The code of a request that was given up, as nothing was heard. */
export const SILENT = "silent";

/**
 * The status of an answer, or what has happened to a kept connection. "refused" is what a new one may meet as well: one that
 * nobody has taken yet when the service stops to listen is reset by the system, which knows no way to stop that misses none.
 */
export const outcomeOf = async (sent: ClientRequest): Promise<string> => {
  try {
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    await once(answer, "end");
    return String(answer.statusCode);
  } catch (error) {
    const { code } = error as { code: string };
    return sent.reusedSocket || code === SILENT ? code : "refused";
  }
};
