/** What the panel has seen of a page where all is well but for what a test names, and what the walk makes of it. */

import { type Step, walk } from "../../../src/inspector/judge/checklist.js";
import { type Evidence, evidenceOf, type State } from "../../../src/inspector/judge/evidence.js";
import type { Exchange } from "../../../src/inspector/watch/activity.js";
import { type Activity, createActivity } from "../../../src/inspector/watch/activity.js";
import type { Page, Tag } from "../../../src/inspector/watch/page-state.js";
import type { Scripts, WrittenCall } from "../../../src/inspector/watch/scripts.js";
import type { SentEvent, Stored } from "../../../src/inspector/watch/stored.js";

export const SITE = "https://shop.example";
export const AT = "https://track.shop.example/v1/track/event";
export const TAG = { apiToken: "token", trackUrl: "https://track.shop.example" };
const FACTS = { type: "", integrity: "", crossOrigin: false, inside: "" };
export const tag = (options: object = TAG, facts: Partial<Tag> = {}): Tag => ({
  ...FACTS,
  markup: "<script>",
  src: `${SITE}/t.js`,
  address: "/t.js",
  options: options as Tag["options"],
  ...facts,
});
const SCRIPTS: Scripts = { written: [], shadows: false, hasHandlers: false, broken: [] };
export const written = (verb: string, by: WrittenCall["by"], ...args: unknown[]): WrittenCall => ({
  verb,
  args,
  by,
  isOuter: true,
  source: `${verb}(…)`,
});
/** An event as it was sent. */
export const event = (name: string, params: SentEvent["params"] = {}, contact = "clara"): SentEvent => ({
  event: name,
  contact,
  visitUrl: `${params.visit_url ?? ""}`,
  params,
});
export const answer = (status: number, facts: Partial<Exchange> = {}): Exchange => ({
  at: Date.now(),
  status,
  isHeard: true,
  sent: [event("signup")],
  answerType: "",
  words: status === 200 ? '{"status":"success"}' : "",
  from: "",
  ...facts,
});

const PAGE: Page = {
  name: "tracklet",
  global: "running",
  taken: "",
  unread: [],
  calls: [],
  ...SCRIPTS,
  tags: [tag()],
  twins: [],
  hidden: [],
  contact: "",
  account: "",
  isJsonOdd: false,
  isLoaded: true,
  ageMs: 9_000,
  origin: SITE,
  metaPolicies: [],
  worker: "",
  isOnline: true,
  hasGpc: false,
  isRecordFull: false,
};
const STORED: Stored = {
  isThere: true,
  contact: "clara",
  account: "",
  hasIdentity: true,
  consent: "",
  events: [],
  eventCount: 0,
  readyMs: 0,
  pauseMs: 0,
  failedAt: 0,
  mutedUntil: 0,
};

/** What differs from a page where all is well. */
export interface Changes {
  page?: Partial<Page>;
  stored?: Partial<Stored>;
  activity?: Partial<Activity>;
}

export const evidence = ({ page, stored, activity }: Changes = {}): Evidence =>
  evidenceOf({
    page: { ...PAGE, ...page },
    stored: { ...STORED, ...stored },
    activity: {
      ...createActivity(),
      exchanges: [answer(200)],
      isRecorded: true,
      address: AT,
      quietMs: 5_000,
      ...activity,
    },
  });

/** Before any request. */
export const QUIET = { exchanges: [], isRecorded: false };
export const PENDING = { tags: [tag({ ...TAG, consent: "pending" })] };
export const problem = (code: string, detail: string) => ({ told: new Map([[code, new Set([detail])]]) });

/** The steps of a state, by their names. */
export const stepsOf = (state: State, changes: Changes): Step[] =>
  walk(evidence(changes)).steps.filter((step) => step.state === state);
