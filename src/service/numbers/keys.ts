/*
 * What events are counted by, in SQL. The members of `params` are found as text: not every JSON that pages send can be read
 * by the database.
 */

/** Milliseconds of the steps in which events are counted: each time zone is a multiple of them away from UTC. */
export const QUARTER_MS = 900_000;
/** The quarters of a day. */
export const QUARTERS = 96;

/** Keys that an hour has of each kind. Strangers choose them, so the rest is counted together. */
export const MAX_KEYS = 200;
/** The key of the rest: none of another's is empty. */
export const OTHER = "";
/** Characters of a key. */
const LENGTH = 256;

/** What comes before the path of a URL; a slash may be escaped. */
const ORIGIN = String.raw`[A-Za-z][A-Za-z0-9+.-]*:\\?/\\?/`;
const member = (name: string, pattern: string) => String.raw`substring(params FROM '"${name}"\s*:\s*"${pattern}')`;
/** Of a single-page app with its views behind `#/`, the fragment is part of the path. */
const PATH = member("visit_url", String.raw`(?:${ORIGIN}[^/\\?#"]*)?([^?#"]*(?:#!?/[^?#"]*)?)`);
/** The host of a page. */
export const HOST = member("visit_url", String.raw`${ORIGIN}([^/\\?#"]*)`);
const REFERRER = member("referrer", String.raw`(?:${ORIGIN})?([^/\\?#"]*)`);

/** Each kind of key: its expression, and the events that have one. */
export const KINDS = {
  event: { key: `left(event_uid, ${LENGTH})`, where: "true" },
  account: { key: `left(account_uid, ${LENGTH})`, where: "account_uid <> ''" },
  path: {
    key: String.raw`left(coalesce(nullif(replace(${PATH}, '\/', '/'), ''), '/'), ${LENGTH})`,
    where: `event_uid = 'pageview' AND ${PATH} IS NOT NULL`,
  },
  referrer: {
    key: `left(${REFERRER}, ${LENGTH})`,
    where: `event_uid = 'pageview' AND strpos(params, '"referrer"') > 0 AND ${REFERRER} <> '' AND ${REFERRER} <> coalesce(${HOST}, '')`,
  },
} as const;
export type Kind = keyof typeof KINDS;
export const ALL_KINDS = Object.keys(KINDS) as Kind[];

/** The start of its quarter, of an event. */
export const QUARTER = `received_at - received_at % ${QUARTER_MS}`;
