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
  /** Those that go in the same request, at the first of them. */
  others: Sent[];
  /**
   * Answers, or breaks the connection by a status of 0; the page acts on it unless it is gone.
   */
  answer(status: number, retryAfter?: number): Promise<void>;
}

/** Bytes of bodies with keepalive that a document may have in flight (Fetch, "inflight keep-alive bytes"). */
const KEEPALIVE_BYTES = 65_536;

/** The answer to several events of which some are refused (RFC 4918 §11.1). */
export const SOME_REFUSED = 207;

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
      others: [],
      answer: async () => {},
    };
    world.sent.push(sent);
    return sent;
  };

  /** The events of a request. */
  const noteAll = ({ body, ...members }: Parameters<typeof note>[0]): Sent[] => {
    const bodies: string[] = body[0] === "[" ? JSON.parse(body).map((one: unknown) => JSON.stringify(one)) : [body];
    const all = bodies.map((one) => note({ body: one, ...members }));
    all[0]!.others = all.slice(1);
    return all;
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
      // Only when the body has been read or cancelled.
      const free = (): void => {
        keptBytes -= bytes;
      };
      const all = noteAll({ body, url, isBeacon: false, keepalive: !!init.keepalive });
      const sent = all[0]!;
      /** Does something answer that knows nothing of events? */
      const isStrange = !!all[1] && !!world.pluralAnswers;
      // As the service was when it was asked.
      const { most } = world;
      const end = async (status: number, retryAfter: number | undefined, act: () => void): Promise<void> => {
        if (!sent.isOpen) return;
        for (const one of all) one.isOpen = false;
        if (page.isDead) return;
        const hear = (): void => {
          if (!status) free();
          for (const one of all) {
            one.isKnown = true;
            world.onEnd(one, isStrange ? 404 : status, retryAfter);
          }
          act();
        };
        if (page.isFrozen) clock.add(0, hear, page);
        else await page.run(hear);
      };
      sent.answer = (status, retryAfter) => {
        const isOffer = status >= 200 && status < 300 && !isStrange;
        const headers = { "retry-after": retryAfter, "tracklet-batch": isOffer ? most : undefined };
        const act = (): void => {
          if (status) resolve(createResponse(status, headers, createBody(world.isEndless, free)));
          else reject(new TypeError("Failed to fetch"));
        };
        return end(status, retryAfter, act);
      };
      init.signal?.addEventListener("abort", () => end(0, undefined, () => reject(init.signal!.reason)));
      world.onRequest(sent);
    });

  const sendBeacon = (url: string, blob: { body: string }): boolean => {
    page.use();
    const all = noteAll({ body: blob.body, url, isBeacon: true, keepalive: true });
    for (const one of all) one.isOpen = false;
    world.onRequest(all[0]!);
    return true;
  };
  return { fetch, sendBeacon };
};

type Body = ReturnType<typeof createBody>;

/** What is read of an answer. */
const createBody = (isEndless: boolean, free: () => void) => {
  const read = async (signal?: AbortSignal): Promise<void> => {
    if (isEndless) await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    free();
  };
  return { read, pipeTo: (_: unknown, { signal }: { signal: AbortSignal }) => read(signal) };
};

const createResponse = (status: number, headers: Record<string, number | undefined>, body: Body) => ({
  status,
  url: "",
  headers: { get: (name: string) => headers[name.toLowerCase()]?.toString() ?? null },
  body,
  text: () => body.read(),
});

/** A `Blob` whose text can be read at once. */
export class BeaconBody {
  readonly body: string;
  constructor([body]: [string]) {
    this.body = body;
  }
}
