/** What the panel has seen of a page where all is well but for what a test names, and what the walk makes of it. */
import { type Evidence, evidenceOf } from "../../../src/inspector/find/evidence.js";
import { type Step, walk } from "../../../src/inspector/find/steps.js";
import type { Exchange } from "../../../src/inspector/watch/activity.js";
import { type Activity, createActivity } from "../../../src/inspector/watch/activity.js";
import type { Inline } from "../../../src/inspector/watch/inline.js";
import type { Page } from "../../../src/inspector/watch/page.js";
import type { Stored } from "../../../src/inspector/watch/stored.js";
import type { Tag } from "../../../src/inspector/watch/tags.js";

export const SITE = "https://shop.example";
export const AT = "https://track.shop.example/v1/track/event";
export const TAG = { apiToken: "token", trackUrl: "https://track.shop.example" };
const FACTS = { type: "", integrity: "", crossOrigin: false, hasNoModule: false, href: "", inside: "" };
export const tag = (options: object = TAG, facts: Partial<Tag> = {}): Tag => ({
  ...{ ...FACTS, markup: "<script>", src: `${SITE}/t.js`, options: options as Tag["options"] },
  ...facts,
});
export const inline = (facts: Partial<Inline> = {}): Inline => ({
  ...{ calls: [], isNamed: false, replaces: false, shadows: false, usesMarkup: false, empties: false, options: [] },
  ...facts,
});
export const answer = (status: number, facts: Partial<Exchange> = {}): Exchange => ({
  ...{ at: 1, status, event: "signup", body: "{}", token: "token", type: "application/json", answerType: "" },
  ...{ words: status === 200 ? '{"status":"success"}' : "", retryAfter: "", ...facts },
});

const PAGE: Page = {
  ...{ name: "tracklet", global: "running", taken: "", calls: [], strayCalls: 0, inline: inline(), tags: [tag()] },
  ...{ strays: [], hidden: [], manager: "", consentTool: "", addOns: [], unnamed: 0, isLoaded: true, now: 3_001 },
  ...{ origin: SITE, metaPolicies: [], worker: "", ownFetch: "", isSandboxed: false, isOnline: true, hasGpc: false },
  ...{ isRecordFull: false, href: `${SITE}/` },
};
const STORED: Stored = {
  ...{ isThere: true, contact: "clara", account: "", hasIdentity: true, consent: "", events: [], eventCount: 0 },
  ...{ readyMs: 0, pauseMs: 0, mutedUntil: 0 },
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
      ...createActivity({ answers: [], waitUntil: 0, contact: "" }),
      ...{ exchanges: [answer(200)], exchangeCount: 1, isRecorded: true, address: AT, quietMs: 5_000, ...activity },
    },
  });

/** Before any request. */
export const QUIET = { exchanges: [], exchangeCount: 0, isRecorded: false };
export const PENDING = { tags: [tag({ ...TAG, consent: "pending" })] };
export const problem = (code: string, detail: string) => ({ problems: new Map([[code, new Set([detail])]]) });

/** The steps of a state, by their names. */
export const stepsOf = (state: Step["state"], changes: Changes): Step[] =>
  walk(evidence(changes)).filter((step) => step.state === state);
