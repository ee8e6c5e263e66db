/** What a queued event looks like in storage: `event:<tab>:<sequence>:<time>:<epoch>` = body, or a mark and the body. */

/** Stands in front of the body of an event in flight when its page was left: the service most likely has it. */
export const HANDED_OFF = "!";

/** The tab that has tracked the event. */
export const tabOf = (key: string): string => key.split(":")[1]!;

/** When the event was tracked, in epoch milliseconds. */
export const timeOf = (key: string): number => Number(key.split(":")[3]);

/** The epoch of the identity that the event waits for; `""` where it has its contact. */
export const epochOf = (key: string): string => key.split(":")[4]!;

/** Bytes of a text in UTF-8. Encoding is a third of the cost of queueing an event, so it is done only where it matters. */
export const bytesOf = (text: string): number =>
  /[^\0-\x7f]/.test(text) ? new TextEncoder().encode(text).length : text.length;
