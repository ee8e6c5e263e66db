import type { FlushResult } from "../../src/types.js";

/** A tracker as a page calls it, rightly and wrongly. */
interface PageTracker extends Record<"init" | "identify" | "track" | "pageview" | "reset" | "optIn" | "optOut", Verb> {
  push(...calls: unknown[][]): unknown;
  flush(options?: object): Promise<FlushResult>;
  consent(): string;
  identity(): string[];
}

type Verb = (...args: unknown[]) => void;

declare global {
  /** What the pages of the tests have: the tracker's globals, and what a page notes for its test. */
  interface Window {
    tracklet: PageTracker;
    /** A tracker of another name. */
    shop: PageTracker;
    /** Changes of the document, as text. */
    changes: string[];
    /** Tells the runner of a violation of the page's policy. */
    tellViolation: (text: string) => void;
  }
}
