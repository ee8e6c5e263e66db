/**
 * What a queued event looks like in storage: `event:<tab>:<sequence>:<time>` = body, with the mark of a hand-off before it, and a
 * blank behind it where it has failed.
 */

/** The start of every key. */
export const EVENT = "event:";

/** The tab that has tracked the event. */
export const tabOf = (key: string): string => key.split(":")[1]!;

/** When the event was tracked, in epoch milliseconds. */
export const timeOf = (key: string): number => Number(key.split(":")[3]);

/** A mark, `!` and its time: the request was in flight when the page was left, so the service most likely has the event. */
export const withMark = (body: string): string => `!${Date.now()}${body}`;

/** When the event was handed off; 0 where it was not. */
export const markedAt = (text: string): number => Number(/^!(\d+)/.exec(text)?.[1] ?? 0);

/** The body itself: the same bytes at each attempt. */
export const bodyOf = (text: string): string => text.replace(/^!\d*/, "").trim();

/** Its request has failed; the next page that sends it knows so. */
export const asFailed = (text: string): string => `${bodyOf(text)} `;

export const hasFailed = (text: string): boolean => / $/.test(text);

/** Does the body name its contact? It is the first member then. */
export const isAddressed = (text: string): boolean => /^(!\d*)?{"contact_uid"/.test(text);

/** Can it be sent? It names its contact, and was not handed off. */
export const isReady = (text: string): boolean => text[0] === "{" && isAddressed(text);

/** Bytes in UTF-8. */
export const sizeOf = (text: string): number => new TextEncoder().encode(text).length;
