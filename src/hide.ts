/** Takes the token out of a text, so that no message, address, header or cause can show it. */
export type Hide = (text: string) => string;

/** @param secret the token in one of its written forms */
export const hiding =
  (secret: string): Hide =>
  (text) =>
    text.split(secret).join("***");

/**
 * What `fetch` threw, as an error that is safe to log: its text or, where Node's fetch leaves what happened to the
 * cause, the code of that. Nothing else is taken, because an injected `fetch` may hang the whole request, with its
 * `Authorization` header, on what it throws.
 */
export const safeCause = (thrown: unknown, hide: Hide): Error =>
  new Error(hide(`${(thrown as { cause?: { code?: unknown } } | undefined)?.cause?.code ?? thrown}`));
