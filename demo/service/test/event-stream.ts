import type { EventRow } from "./running-service.js";

export interface Message {
  /** The position behind it; only the last message of a row of them has one. */
  id: string | undefined;
  type: string;
  data: EventRow;
}

/** Reads `GET /demo/events/stream` as a browser does: messages by their fields, comments apart. */
export const openStream = async (url: string, headers: Record<string, string> = {}) => {
  const closing = new AbortController();
  const answer = await fetch(`${url}/demo/events/stream`, { headers, signal: closing.signal });
  const messages: Message[] = [];
  const comments: string[] = [];
  let position = "";
  const read = async (): Promise<void> => {
    let text = "";
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
      const blocks = (text + chunk).split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) {
        const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]));
        if (fields.has("")) comments.push(fields.get("")!);
        if (fields.get("event") === "listening") position = fields.get("id")!;
        else if (fields.has("data"))
          messages.push({ id: fields.get("id"), type: fields.get("event")!, data: JSON.parse(fields.get("data")!) });
      }
    }
  };
  /** Settles when the stream ends, by the service or by `close()`. */
  const ended = read().catch((error: Error) => {
    if (error.name !== "AbortError") throw error;
  });
  /** Where the stream has come to, to go on from it. */
  const reached = (): string => messages.findLast(({ id }) => id !== undefined)?.id ?? position;
  return { answer, messages, reached, comments, ended, close: () => closing.abort() };
};
