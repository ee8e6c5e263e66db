import { expect } from "playwright/test";
import type { Row, Service } from "../../test/support/service.js";
import { waitFor } from "../../test/support/wait.js";
import type { FaultProxy } from "./proxy.js";

interface ExpectRowsOptions {
  /** What identifies a row in the list. Default its `event_uid`. */
  by?: (row: Row) => unknown;
  /** The most the rows may take to arrive; generous, never the thing under test. Milliseconds, default 60,000. */
  timeoutMs?: number;
}

/** Reads and judges the rows of one contact in the service's database. */
export const createRows = (service: Service, proxy: FaultProxy, contact: string) => {
  let settled: { count: number; by: string } | undefined;

  const rows = (): Promise<Row[]> => service.rows(contact);

  /**
   * Waits until as many rows as listed are stored and nothing more is under way, then says whether they are the ones:
   * none missing, none stored twice, none else. A function is an assertion of your own, repeated until it holds. The
   * count is looked at again when the test has ended, so that a late repeat does not slip through.
   */
  const expectRows = async (
    expected: readonly unknown[] | ((rows: Row[]) => void),
    { by = (row) => row.event_uid, timeoutMs = 60_000 }: ExpectRowsOptions = {},
  ): Promise<Row[]> => {
    if (typeof expected === "function") {
      await expect(async () => expected(await rows())).toPass({ timeout: timeoutMs, intervals: [50] });
    } else {
      // Too few after the whole time falls through to the comparison below, which says what is missing.
      await waitFor(async () => (await rows()).length >= expected.length, { timeoutMs, everyMs: 50 }).catch(() => {});
    }
    // Nothing is missing any more: this is for what comes twice, and is looked for again when the test has ended.
    await proxy.quiet(300);
    const stored = await rows();
    settled = { count: stored.length, by: stored.map((row) => row.event_uid).join(", ") };
    if (typeof expected === "function") expected(stored);
    else {
      const key = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
      const actual = stored.map((row) => key(by(row))).sort();
      expect(actual, "events stored, in the order of the alphabet").toEqual(expected.map(key).sort());
    }
    return stored;
  };

  return {
    rows,
    expectRows,
    /** What was stored after the last `expectRows`, if anything: the reason to fail a test that has ended. */
    latecomers: async (): Promise<string | undefined> => {
      if (settled === undefined) return undefined;
      await proxy.quiet(0);
      const now = await rows();
      if (now.length === settled.count) return undefined;
      const all = now.map((row) => row.event_uid).join(", ");
      return `rows changed after the last expectRows: ${settled.count} [${settled.by}] became ${now.length} [${all}]`;
    },
  };
};
