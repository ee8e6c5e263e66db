import { relative } from "node:path";
import type { FullConfig, Reporter, Suite } from "playwright/types/testReporter";
import { leave } from "./report.js";
import { ROOT } from "./support/launch.js";

/** Tells `npm test` of the end-to-end tests. A test that passed only on a second try, and an error beside all tests, count as failed. */
// biome-ignore lint/style/noDefaultExport: the runner asks for one
export default class implements Reporter {
  private errors = 0;
  private root: Suite | undefined;

  onBegin(_: FullConfig, suite: Suite): void {
    this.root = suite;
  }
  onError(): void {
    this.errors++;
  }
  onEnd(): void {
    const tests = this.root?.allTests() ?? [];
    const projectOf = (test: (typeof tests)[number]) => test.parent.project()?.name;
    const times = new Map<string, number>();
    for (const test of tests) {
      const file = `${relative(ROOT, test.location.file)} (${projectOf(test)})`;
      const ms = test.results.reduce((sum, { duration }) => sum + duration, 0);
      times.set(file, (times.get(file) ?? 0) + ms / 1_000);
    }
    leave({
      passed: tests.filter((test) => test.outcome() === "expected").length,
      failed: tests.filter((test) => ["unexpected", "flaky"].includes(test.outcome())).length + this.errors,
      times,
      skipped: tests
        .filter((test) => test.outcome() === "skipped")
        .map((test) => {
          const reason = test.annotations.find(({ type }) => type === "skip")?.description;
          return `${projectOf(test)}: ${test.title}${reason ? `: ${reason}` : ""}`;
        }),
    });
  }
}
