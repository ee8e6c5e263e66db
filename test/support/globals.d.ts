import type { FlushResult } from "../../src/types.js";

/** A tracker as a page calls it, rightly and wrongly. */
interface PageTracker extends Record<"init" | "identify" | "track" | "pageview" | "reset" | "optIn" | "optOut", Verb> {
  push(...calls: unknown[][]): unknown;
  flush(options?: object): Promise<FlushResult>;
  consent(): string;
}

/** What the tracker tells `onError`. */
export interface Problem {
  code: string;
  detail: string;
  event?: { contact_uid?: string; event_uid: string; params: Record<string, unknown> };
}

type Verb = (...args: unknown[]) => void;

declare global {
  /** What the pages of the tests have: the tracker's globals, and what a page notes for its test. */
  interface Window {
    tracklet: PageTracker;
    /** A tracker of another name. */
    shop: PageTracker;
    /** How often the page's own `fetch` was called. */
    calls?: number;
    /** What the tracker told `onError`. */
    problems?: Problem[];
    /** Changes of the document, as text. */
    changes: string[];
    /** What `flush` resolved to, and the codes that a debug listener was told. */
    flushed: unknown;
    codes: unknown[];
    /** Tells the runner of a violation of the page's policy. */
    tellViolation: (text: string) => void;
  }
}
