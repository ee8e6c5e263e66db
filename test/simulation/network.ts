/** What a page sends: each request is noted, and whoever plays the service answers it. */
import type { Page } from "./page.js";
import type { World } from "./world.js";

/** A request that a page has begun. */
export interface Sent {
  page: Page;
  /** Name of its event. */
  name: string;
  body: string;
  url: string;
  isBeacon: boolean;
  keepalive: boolean;
  beganAt: number;
  /** Has neither been answered nor broken off. */
  isOpen: boolean;
  /** Was broken off with its page, so that it may never have left. */
  isCut: boolean;
  /** Has the page heard of its end? */
  isKnown: boolean;
  /** Answers, or breaks the connection by a status of 0; the page acts on it unless it is gone. */
  answer(status: number, retryAfter?: number): Promise<void>;
}

/** Bytes of bodies with keepalive that a document may have in flight (Fetch, "inflight keep-alive bytes"). */
const KEEPALIVE_BYTES = 65_536;

/** `fetch` and `sendBeacon` of a page. */
export const createSending = (page: Page, world: World) => {
  const { clock } = world;
  let keptBytes = 0;

  const note = (members: Pick<Sent, "body" | "url" | "isBeacon" | "keepalive">): Sent => {
    const sent: Sent = {
      ...members,
      page,
      name: JSON.parse(members.body).event_uid,
      beganAt: clock.now(),
      isOpen: true,
      isCut: false,
      isKnown: false,
      answer: async () => {},
    };
    world.sent.push(sent);
    return sent;
  };

  const fetch = (url: string, init: RequestInit): Promise<unknown> =>
    new Promise((resolve, reject) => {
      page.use();
      const body = init.body as string;
      const bytes = init.keepalive ? Buffer.byteLength(body) : 0;
      if (keptBytes + bytes > KEEPALIVE_BYTES) {
        reject(new TypeError("Failed to fetch"));
        return;
      }
      keptBytes += bytes;
      const sent = note({ body, url, isBeacon: false, keepalive: !!init.keepalive });
      const end = async (status: number, retryAfter: number | undefined, act: () => void): Promise<void> => {
        if (!sent.isOpen) return;
        sent.isOpen = false;
        if (page.isDead) return;
        const hear = (): void => {
          keptBytes -= bytes;
          sent.isKnown = true;
          world.onEnd(sent, status, retryAfter);
          act();
        };
        if (page.isFrozen) clock.add(0, hear, page);
        else await page.run(hear);
      };
      sent.answer = (status, retryAfter) =>
        end(status, retryAfter, () => {
          if (status) resolve(createResponse(status, retryAfter));
          else reject(new TypeError("Failed to fetch"));
        });
      init.signal?.addEventListener("abort", () => end(0, undefined, () => reject(init.signal!.reason)));
      world.onRequest(sent);
    });

  const sendBeacon = (url: string, blob: { body: string }): boolean => {
    page.use();
    const sent = note({ body: blob.body, url, isBeacon: true, keepalive: true });
    sent.isOpen = false;
    world.onRequest(sent);
    return true;
  };
  return { fetch, sendBeacon };
};

const createResponse = (status: number, retryAfter: number | undefined) => ({
  status,
  headers: { get: (name: string) => (/^retry-after$/i.test(name) ? (retryAfter?.toString() ?? null) : null) },
  text: async () => "",
});

/** A `Blob` whose text can be read at once. */
export class BeaconBody {
  readonly body: string;
  constructor([body]: [string]) {
    this.body = body;
  }
}
