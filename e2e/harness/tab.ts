import { readdirSync, readFileSync } from "node:fs";
import type { Page } from "playwright/test";
import { waitFor } from "../../test/support/wait.js";

/**
 * What a spec may do with a tab in every engine: the part of the runner's own page that WebKitGTK's driver can follow. In
 * `evaluate`, a function gets one argument, and both it and the result are plain data.
 */
export type Tab = Pick<Page, "goto" | "evaluate" | "click" | "reload" | "close" | "setViewportSize">;

/** What runs code: a tab of any engine, or a frame. */
export type Scope = Pick<Tab, "evaluate">;

/** Opens a tab; it shows the page when it is resolved. */
export type Open = (url: string) => Promise<Tab>;

/** The keys of all events in the storage, of whatever tracker. */
export const eventKeys = (tab: Scope): Promise<string[]> =>
  tab.evaluate(() => Object.keys(localStorage).filter((key) => /:event\d*:/.test(key)));

/** What drivers say of code whose page has gone before it could answer. */
const GONE = /closed|destroyed|navigat|no such window|Cannot find context|detached|unload/i;

/** Runs statements in the page, in one task, which may leave it. */
export const runAndGo = (tab: Scope, statements: string): Promise<void> =>
  tab.evaluate(`{${statements}}; undefined`).then(
    () => {},
    (error: unknown) => {
      if (!GONE.test(String(error))) throw error;
    },
  );

/**
 * Marks the document, runs statements that lead to another one in the same task, and waits for what `seen` finds there.
 * Firefox shows an empty, complete `about:blank` for a moment before the next document: that is not the one.
 */
const leaveAndSee = async <T>(tab: Scope, statements: string, seen: string): Promise<T> => {
  const mark = `mark-${Math.random()}`;
  await runAndGo(tab, `document.left = "${mark}"; ${statements}`);
  const look = () =>
    tab.evaluate<[T] | undefined>(
      `document.left === "${mark}" || document.URL === "about:blank" ? undefined : ${seen}`,
    );
  const [found] = await waitFor(() => look().catch(() => undefined), { what: `another page after ${statements}` });
  return found;
};

/** Runs statements that lead to another document, in one task; resolves when that one has loaded. */
export const leaveBy = async (tab: Scope, statements: string): Promise<void> =>
  void (await leaveAndSee(tab, statements, `document.readyState === "complete" ? [1] : undefined`));

/** For the head of pages that {@link goBack} returns to: notes how the page came to be shown. */
export const WATCH_SHOW = `<script>
  addEventListener("pageshow", ({ persisted }) => { document.shown = [persisted]; });
  addEventListener("pagehide", () => { delete document.shown; });
</script>`;

/** Goes back to a page with {@link WATCH_SHOW}; resolves to whether it was restored as it was left, or else loaded anew. */
export const goBack = (tab: Scope): Promise<boolean> => leaveAndSee(tab, "history.back()", "document.shown");

/** The processes of all pages of this worker's browsers, by their id: how much processor time each has used, in ticks. Linux only. */
const pageProcesses = (): Map<number, number> => {
  const all = new Map<number, { parent: number; ticks: number }>();
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      // The fields after the program's name, which may hold blanks: state, the parent; the 12th and 13th are ticks.
      const fields = readFileSync(`/proc/${entry}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      all.set(Number(entry), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // It has ended meanwhile.
    }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === process.pid || isOurs(all.get(pid)?.parent));
  const isPage = (pid: number): boolean => {
    try {
      return /--type=renderer|-isForBrowser|WebKitWebProcess/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    } catch {
      return false;
    }
  };
  return new Map([...all].flatMap(([pid, { ticks }]) => (isOurs(pid) && isPage(pid) ? [[pid, ticks]] : [])));
};

/** A second of the processor, more than a page uses that starts. */
const BUSY_TICKS = 100;

/**
 * Ends the process of this tab with SIGKILL. No interface tells which one it is, so the page is made busy, by a task whose end
 * does not come.
 */
export const killPage = async (tab: Scope): Promise<void> => {
  const before = pageProcesses();
  const end = tab.evaluate("for (;;);").catch(() => {});
  const pid = await waitFor(
    () => {
      const used = [...pageProcesses()].map(([pid, ticks]) => ({ pid, ticks: ticks - (before.get(pid) ?? 0) }));
      const [most, next] = used.sort((one, other) => other.ticks - one.ticks);
      return most && most.ticks > Math.max(BUSY_TICKS, 4 * (next?.ticks ?? 0)) ? most.pid : undefined;
    },
    { what: "the tab's process to be busy" },
  );
  process.kill(pid, "SIGKILL");
  // The driver says so; never, if it was another tab's process.
  await end;
};
