/** What the inspector says of a page where all is well but for what a test names. */
import { expect } from "vitest";
import { nextAttempt } from "../../../src/inspector/delivery.js";
import { type Finding, findingsOf } from "../../../src/inspector/findings.js";
import type { Heard } from "../../../src/inspector/heard.js";
import type { Seen } from "../../../src/inspector/seen.js";
import type { Stored } from "../../../src/inspector/stored.js";

export const TAG = { apiToken: "token", trackUrl: "https://track.example.com" };
export const SEEN: Seen = {
  name: "tracklet",
  global: "running",
  calls: [],
  tag: TAG,
  origin: "https://shop.example",
  isOnline: true,
  hasGpc: false,
};
export const STORED: Stored = {
  isThere: true,
  contact: "contact-1",
  account: "",
  consent: "",
  events: [],
  eventCount: 0,
  readyMs: 0,
  pauseMs: 0,
};
export const HEARD: Heard = {
  answers: [{ at: 1, status: 200, event: "pageview" }],
  views: [],
  problems: new Map(),
  options: undefined,
  pending: 0,
  isDenied: false,
  hasRequests: true,
  address: "https://track.example.com/v1/track/event",
  silence: "unknown",
  isWebPage: false,
  script: "",
};
/** Before any request. */
export const QUIET: Partial<Heard> = { answers: [], hasRequests: false };

export const answered = (status: number, event = "signup"): Heard => ({
  ...HEARD,
  answers: [{ at: 1, status, event }],
});
export const all = (heard: Partial<Heard>, seen: Partial<Seen>, stored: Partial<Stored>): [Seen, Stored, Heard] => [
  { ...SEEN, ...seen },
  { ...STORED, ...stored },
  { ...HEARD, ...heard },
];
export const say = (heard: Partial<Heard> = {}, seen: Partial<Seen> = {}, stored: Partial<Stored> = {}): Finding[] =>
  findingsOf(...all(heard, seen, stored));
export const next = (heard: Partial<Heard> = {}, seen: Partial<Seen> = {}, stored: Partial<Stored> = {}): string =>
  nextAttempt(...all(heard, seen, stored));
export const finding = (kind: Finding["kind"], text: string) => ({ kind, text: expect.stringContaining(text) });
