import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { COMMON } from "../vitest.config.js";

/** About an embedded folder, or about ending a server: left out where the tests are given a database, by DATABASE_URL. */
const NOT_GIVEN = [
  "embedded",
  "erasures",
  "full-disk",
  "closing",
  "process",
  "backup",
  "outage",
  "moves",
  "follow",
  "logging",
  "model",
  "spawned",
  "unit",
  "upgrade",
];
const isGiven = process.env.DATABASE_URL !== undefined;
/** Takes minutes: a part of `npm test -- --all` alone. */
const LONG = process.env.TEST_ALL ? [] : ["**/model/spawned.test.ts"];

/** These take longest: they begin first, so that nothing waits for them alone. */
const LONGEST = ["model/spawned", "model/model", "upgrade.test", "release-scripts", "start.test", "embedded"];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId }: TestSpecification) => LONGEST.findLastIndex((name) => moduleId.includes(name));
    const others = files.filter((one) => rank(one) < 0);
    return [...files.filter((one) => rank(one) >= 0).sort((a, b) => rank(a) - rank(b)), ...others];
  }
}

/** The tests of the service and of `npm start`. */
export default defineConfig(({ mode }) => ({
  test: {
    ...COMMON,
    // `npm run attack` takes a while.
    include: mode === "attack" ? ["test/service/attack/*.test.ts"] : ["{test/service,demo/test}/**/*.test.ts"],
    exclude: [...LONG, ...(isGiven ? ["demo/test/**", ...NOT_GIVEN.map((name) => `**/${name}.test.ts`)] : [])],
    globalSetup: ["src/service/build.ts", "test/service/support/database.ts"],
    fileParallelism: !isGiven,
    // They wait for servers and processes more than they work.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
}));
