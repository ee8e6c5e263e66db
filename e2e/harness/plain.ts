import type { Page } from "playwright/test";
import type { FaultProxy } from "./proxy.js";
import { DEMO_TOKEN } from "./tag.js";

/** What a page learned of one request: the answer, or the name of the error that `fetch` rejected with. */
export interface Learned {
  status?: number;
  type?: string;
  retryAfter?: string | null;
  body?: unknown;
  error?: string;
}

export interface SendOptions {
  redirect?: RequestRedirect;
  /** Default `true`. Chromium holds the connection of a keepalive request for half a minute after it was aborted. */
  keepalive?: boolean;
  /** Aborts the request after so many milliseconds. Default: never. */
  timeoutMs?: number;
}

const endpoint = (gateway: FaultProxy): string => `${gateway.url}/v1/track/event?api_token=${DEMO_TOKEN}`;

/**
 * Sends one event by a plain `fetch` from a page, without the tracker, and tells what the page learned. The page must
 * have a global `contact`.
 */
export const send = (
  page: Page,
  gateway: FaultProxy,
  eventUid: string,
  params: Record<string, unknown> = {},
  { redirect = "follow", keepalive = true, timeoutMs }: SendOptions = {},
): Promise<Learned> =>
  page.evaluate(
    async ([url, event_uid, given, mode, alive, limit]) => {
      const contact_uid = window.contact;
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ contact_uid, event_uid, params: given }),
          credentials: "omit",
          keepalive: alive,
          redirect: mode,
          ...(limit === undefined ? {} : { signal: AbortSignal.timeout(limit) }),
        });
        const text = await response.text();
        const { status, type, headers } = response;
        return { status, type, retryAfter: headers.get("Retry-After"), body: text ? JSON.parse(text) : undefined };
      } catch (error) {
        return { error: (error as Error).name };
      }
    },
    [endpoint(gateway), eventUid, params, redirect, keepalive, timeoutMs] as const,
  );

/** Sends `prefix-1` … `prefix-count` at the same time, whatever becomes of them, and returns these names. */
export const burst = async (page: Page, gateway: FaultProxy, count: number, prefix: string): Promise<string[]> => {
  const uids = Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
  await Promise.all(uids.map((uid) => send(page, gateway, uid)));
  return uids;
};
