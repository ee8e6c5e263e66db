import { filledText } from "./exact-text.js";

/** Characters of a page, and of a host. */
const [MAX_PAGE, MAX_HOST] = [512, 255];
/** The name that the interface has for page views. */
const PAGE_VIEW = "pageview";
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

/** Whoever logs in by a URL is not part of the host. */
const hostOf = (authority: string): string => authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();

/** The page of an event, and where its visitor came from. @param params of the event */
export const viewOf = (eventUid: string, params: unknown): Viewed => {
  const { visit_url, referrer } = eventUid === PAGE_VIEW ? (Object(params) as Record<string, unknown>) : {};
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
