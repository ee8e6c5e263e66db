/** What a rule may listen to. Each rule says one thing that must hold in every history. */
import type { Journal } from "../journal.js";
import type { Page, Sent } from "../world.js";

/** What is known of one event. */
export interface Entry {
  name: string;
  page: Page;
  /** Of its page, when it was tracked. */
  life: object;
  /** Its key in the storage, when `track` returned. */
  key?: string;
  trackedAt: number;
  /** Was it in the storage when `track` returned? */
  isDurable: boolean;
  /** How often the service has it. */
  stored: number;
  /** How often a page heard that a request failed. */
  failures: number;
  /** Why nobody could have known that the service has it, or that it has not. */
  mayRepeat?: string;
  mayBeLost?: string;
}

export interface Rule {
  onOpen?(page: Page): void;
  /** Before the call. */
  onTrack?(entry: Entry): void;
  onIdentify?(page: Page, contact: string, account?: string): void;
  onReset?(page: Page): void;
  /** All rows are taken out: at once, or key by key, which others take for deliveries. */
  onClear?(page: Page, isByKey: boolean): void;
  onChoice?(page: Page, choice: "granted" | "denied"): void;
  /** After `pagehide`. */
  onExit?(page: Page): void;
  onEnd?(page: Page, how: "left" | "cut" | "crashed"): void;
  /** It does nothing from now on, until it wakes. */
  onStop?(page: Page): void;
  onJump?(): void;
  onBegin?(sent: Sent, entry: Entry, willFail: boolean): void;
  /** The service has taken a request, or never will. */
  onStore?(sent: Sent, entry: Entry): void;
  onFail?(sent: Sent, entry: Entry, isStored: boolean): void;
  /** A page hears of the end of a request; a status of 0 means that there was no answer. */
  onHear?(sent: Sent, entry: Entry, answer: { status: number; retryAfter: number | undefined }): void;
  verify?(isCured: boolean): void;
}

export type MakeRule = (journal: Journal) => Rule;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** A change of the storage has reached every page that runs after this time, in milliseconds. */
export const HEARD_MS = 320;

/** And such a page was told of each removal. */
export const TOLD_MS = HEARD_MS + 5_000;

/** Has the page heard of what was changed then? What stands still hears of it later. */
export const hasHeard = ({ world }: Journal, page: Page, at: number): boolean =>
  world.clock.now() >= Math.max(at, page.resumedAt) + HEARD_MS;

/** May the emptying by another page still come, and take away what this one stores now? */
export const mayBeCleared = ({ world, cleared }: Journal, page: Page): boolean =>
  cleared.by !== page && world.clock.now() < cleared.at + HEARD_MS;

/** So long a page sends what it has tracked itself out of its turn, and others leave it alone. Milliseconds. */
export const YOUNG_MS = 1_000;
export const FIRST_LEASE_MS = 2_000;

/** Does the storage keep what is written? */
export const isKeeping = ({ world }: Journal): boolean =>
  !world.storage.isDenied && world.storage.quota === Number.POSITIVE_INFINITY;
