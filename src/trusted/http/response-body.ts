/**
 * Reads the body of an answer, and no more of it than the bound: a service or a proxy that has gone wrong may send
 * without an end, and what is read stays in memory.
 *
 * @returns the body as a text; `undefined` when it is longer, and is then cancelled
 */
export const readBody = async ({ body }: Response, maxMiB: number): Promise<string | undefined> => {
  if (!body) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    bytes += value.length;
    if (bytes > maxMiB * 1_048_576) {
      // Not awaited: nothing depends on how it ends.
      reader.cancel().catch(() => {});
      return undefined;
    }
  }
};
