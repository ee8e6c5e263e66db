import { relative } from "node:path";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule } from "vitest/node";
import { leave } from "./report.js";
import { ROOT } from "./support/launch.js";

/** Tells `npm test` of the unit tests. A file that fails without a failed test, and an error beside all tests, count as one each. */
// biome-ignore lint/style/noDefaultExport: the runner asks for one
export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const isBroken = (module: TestModule) =>
      !module.ok() && ![...module.children.allTests()].some((test) => test.result().state === "failed");
    leave({
      passed: count("passed"),
      failed: count("failed") + modules.filter(isBroken).length + errors.length,
      times: new Map(modules.map((module) => [relative(ROOT, module.moduleId), module.diagnostic().duration / 1_000])),
      skipped: tests.filter((test) => test.result().state === "skipped").map(({ fullName }) => fullName),
    });
  }
}
