import { digest, filledText } from "./exact-text.js";

const [MAX_PAGE, MAX_HOST] = [512, 255];
export const PAGE_VIEW = "pageview";
/** Host, path, and fragment of a URL, or of one without its beginning. */
const PARTS = /^(?:[a-z][a-z0-9+.-]*:\/\/([^/?#]*))?([^?#]*)(?:\?[^#]*)?(#!?\/[^?#]*)?/i;
/** A referrer may come without its scheme. */
const HOST = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)/i;

/** What the columns of a page view hold; nothing where the event is none. */
export interface Viewed {
  /** Host and path; of a single-page app with its views behind `#/`, the fragment is part of the path. */
  page: string | undefined;
  /** The host of another site that led to it. */
  referrerHost: string | undefined;
}

const NO_VIEW: Viewed = { page: undefined, referrerHost: undefined };

/** Whoever logs in by a URL is not part of the host. */
const hostOf = (authority: string): string => authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();

/** The page of an event, and where its visitor came from. @param params of the event */
export const viewOf = (eventUid: string, params: unknown): Viewed => {
  if (eventUid !== PAGE_VIEW) return NO_VIEW;
  const { visit_url, referrer } = Object(params) as Record<string, unknown>;
  const url = filledText(visit_url);
  const [, authority = "", path = "", fragment = ""] = PARTS.exec(url ?? "")!;
  const host = hostOf(authority);
  const from = hostOf(HOST.exec(filledText(referrer) ?? "")![1]!);
  return {
    page:
      url === undefined ? undefined : `${host}${path.startsWith("/") ? "" : "/"}${path}${fragment}`.slice(0, MAX_PAGE),
    referrerHost: from === "" || from === host ? undefined : from.slice(0, MAX_HOST),
  };
};

/*
 * With `stamp: true` the script ends the params of an event by four members: `event_id`, `occurred_at`, `event_source` and
 * `event_seq`. They are columns of the event, so the stored params are without them; whoever reads the params gets them back.
 */

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** A random UUID (version 4), as the script makes it. */
const RANDOM = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}";
/** Ends a text that is valid JSON: so its members are those of the outermost object, and no part of a string. */
const END = new RegExp(
  `([{,])"event_id":"(${RANDOM})",("occurred_at":(\\d{1,16})),"event_source":"(${UUID})","event_seq":(\\d{1,9})\\}$`,
);
const IS_RANDOM = new RegExp(`^${RANDOM}$`);
/** What the end of the params takes, at most. */
const LONGEST = 256;

/** What the script's stamp says beside its time. */
interface StampEnd {
  /** The params without it; with the time, where no column has that. */
  params: string;
  source: string;
  number: number;
}

/**
 * Takes the script's stamp off the end of params, where they end so.
 *
 * @param params valid JSON, an object
 * @param stamp of the event, and the time that its column has
 */
export const cutStamp = (
  params: string,
  { stamp, occurredAt }: { stamp: string | undefined; occurredAt: number | undefined },
): StampEnd | undefined => {
  if (stamp === undefined) return undefined;
  const from = Math.max(0, params.length - LONGEST);
  const found = END.exec(from === 0 ? params : params.slice(from));
  if (found?.[2] !== stamp) return undefined;
  const [, before, , member, time, source, number] = found;
  const isHeld = Number(time) === occurredAt;
  const kept = isHeld ? (before === "{" ? "{" : "") : before! + member!;
  const rest = `${params.slice(0, from + found.index)}${kept}}`;
  return { params: rest, source: source!, number: Number(number) };
};

/** The params of an event as they were sent. @param row its columns `params`, `stamp`, `occurred_at`, `source` and `number` */
export const wholeParams = ({ params, stamp, occurred_at, source, number }: Record<string, unknown>): string => {
  const text = String(params);
  if (source === null) return text;
  const time = occurred_at === null ? /"occurred_at":\d+(?=\}$)/.exec(text)! : undefined;
  const before = text.slice(0, time?.index ?? -1);
  const comma = time === undefined && before !== "{" ? "," : "";
  const held = time?.[0] ?? `"occurred_at":${occurred_at}`;
  return `${before}${comma}"event_id":"${stamp}",${held},"event_source":"${source}","event_seq":${number}}`;
};

/**
 * What stands for a stamp in its key: a random UUID itself, of any other text a digest. That is of version 8 (RFC 9562 §5.8):
 * no page can send a UUID that stands for the text of a server.
 */
export const stampKey = (stamp: string): string =>
  IS_RANDOM.test(stamp) ? stamp : digest(stamp).replace(/^(.{14})./, "$18");
