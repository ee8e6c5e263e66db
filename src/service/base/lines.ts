import { StringDecoder } from "node:string_decoder";

/** The lines of a text as it comes, without their ends. What Node's own reader takes for an end besides, as U+2028, stands within them. */
export async function* readLines(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}
