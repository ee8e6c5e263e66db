/** What the inspector says of a page where all is well but for what a test names. */
import { expect } from "vitest";
import type { Activity } from "../../../src/inspector/activity.js";
import { nextAttempt } from "../../../src/inspector/delivery.js";
import { type Finding, findingsOf } from "../../../src/inspector/findings.js";
import type { Snapshot } from "../../../src/inspector/snapshot.js";
import type { Stored } from "../../../src/inspector/stored.js";
import { viewOf } from "../../../src/inspector/view.js";

export const TAG = { apiToken: "token", trackUrl: "https://track.example.com" };
export const SNAPSHOT: Snapshot = {
  name: "tracklet",
  global: "running",
  calls: [],
  strayCalls: 0,
  hasDirectIdentify: false,
  tag: TAG,
  now: 3_001,
  origin: "https://shop.example",
  isOnline: true,
  hasGpc: false,
  hasFragment: false,
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
export const ACTIVITY: Activity = {
  answers: [{ at: 1, status: 200, event: "pageview" }],
  answerCount: 1,
  views: [],
  viewCount: 0,
  problems: new Map(),
  options: undefined,
  pending: 0,
  isDenied: false,
  queued: 0,
  dropped: new Map(),
  hasRequests: true,
  address: "https://track.example.com/v1/track/event",
  silence: "unknown",
  isWebPage: false,
  isWall: false,
  isUnstored: false,
  script: "",
};
/** Before any request. */
export const QUIET: Partial<Activity> = { answers: [], hasRequests: false };

export const answered = (status: number, event = "signup"): Activity => ({
  ...ACTIVITY,
  answers: [{ at: 1, status, event }],
});
export const all = (
  activity: Partial<Activity>,
  snapshot: Partial<Snapshot>,
  stored: Partial<Stored>,
): [Snapshot, Stored, Activity] => [
  { ...SNAPSHOT, ...snapshot },
  { ...STORED, ...stored },
  { ...ACTIVITY, ...activity },
];
/** What differs from a page where all is well. */
type Page = [activity?: Partial<Activity>, snapshot?: Partial<Snapshot>, stored?: Partial<Stored>];
/** What is said of a page. */
export type Case = [text: string, ...page: Page];
const full = ([activity = {}, snapshot = {}, stored = {}]: Page) => all(activity, snapshot, stored);
export const say = (...page: Page): Finding[] => findingsOf(...full(page));
export const next = (...page: Page): string => nextAttempt(...full(page));
/** What the panel says first. */
export const first = (...page: Page): { kind: string; text: string } => viewOf(...full(page)).findings[0]!;
/** What the panel says in place of page views. */
export const noView = (...page: Page): string => viewOf(...full(page)).lists[1]!.empty;
export const finding = (kind: string, text: string) => ({ kind, text: expect.stringContaining(text) });
