import { DEMO_TOKEN } from "../../harness/tag.js";
import { type Comparison, type Pair, repeat } from "./figures.js";
import type { Stage } from "./main.js";

/** The event as it is stored and sent, 300 bytes as most real ones. */
const EVENT = {
  contact_uid: "contact-5d1c3a70",
  event_uid: "report_exported",
  params: {
    account_uid: "account-0041",
    display_name: "Exported a report",
    visit_url: "https://app.example.com/reports/quarterly?view=table&group=region",
    format: "spreadsheet",
    rows: 1_284,
    filters: ["region", "quarter", "owner"],
    is_shared: false,
  },
};

interface Run {
  /**
   * Who handles an event. `"bare"` is JSON.stringify, setItem, a keepalive fetch, its answer read, and removeItem; `"nobody"`
   * shows what the pace alone costs, which is taken off the others.
   */
  by: "tracklet" | "bare" | "nobody";
  events: number;
  /** Milliseconds between two events. */
  paceMs: number;
  url: string;
  event: typeof EVENT;
}

/** Handles events one a task, at a pace, until none is stored any more. It runs in a page, and needs nothing of this file. */
const spend = async ({ by, events, paceMs, url, event }: Run): Promise<void> => {
  const { tracklet } = window;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const send = async (key: string): Promise<void> => {
    const body = JSON.stringify(event);
    localStorage.setItem(key, body);
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body, keepalive: true });
    await response.text();
    localStorage.removeItem(key);
  };
  const handle = {
    tracklet: () => tracklet.track(event.event_uid, event.params),
    bare: (key: string) => void send(key),
    nobody: () => {},
  }[by];
  for (let i = 0; i < events; i++) {
    handle(`bare:event:0.8444218515250481-1790000000000:${1_000_000 + i}:1790000000000`);
    await pause(paceMs);
  }
  while (Object.keys(localStorage).some((key) => /:event\d*:/.test(key))) await pause(50);
};

const EVENTS = 200;
/** Milliseconds between two events: less than a request takes now and then, so that some are in flight together. */
const PACE_MS = 8;
const SECONDS = 35;

/** The work of events of a page whose service is well, in a fresh profile: milliseconds of its main thread's tasks, in CPU time. */
const paced = async ({ service, site, browser }: Stage, by: Run["by"]): Promise<number> => {
  const context = await browser.newContext();
  try {
    // The compiler of this program names functions by a helper, which a page does not have.
    await context.addInitScript("globalThis.__name = (named) => named");
    const page = await context.newPage();
    await page.goto(`${site.url}/${by === "tracklet" ? "tracked" : "bare"}`);
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const taskTime = async (): Promise<number> => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")!.value * 1_000;
    };
    const url = `${service.url}/v1/track/event?api_token=${DEMO_TOKEN}`;
    const run = { by, paceMs: PACE_MS, url, event: EVENT };
    await page.evaluate(spend, { ...run, events: EVENTS / 4 });
    const before = await taskTime();
    await page.evaluate(spend, { ...run, events: EVENTS });
    return (await taskTime()) - before;
  } finally {
    await context.close();
  }
};

/** The main thread's whole time for an event against bare calls. */
export const benchWork = async (stage: Stage): Promise<Comparison[]> => {
  const { site, service } = stage;
  // Straight to the service: the proxy costs time.
  site.page("/tracked", { tag: { async: false, trackUrl: service.url, contactUid: EVENT.contact_uid } });
  site.page("/bare", { tag: false });
  const rounds: Pair[] = [];
  await repeat(SECONDS, async () => {
    const pace = await paced(stage, "nobody");
    const [ours, bare] = [await paced(stage, "tracklet"), await paced(stage, "bare")];
    rounds.push({ ours: ((ours - pace) / EVENTS) * 1_000, bare: ((bare - pace) / EVENTS) * 1_000 });
  });
  return [{ what: "main thread, whole work of an event", unit: "µs", rounds, target: 1.15 }];
};
