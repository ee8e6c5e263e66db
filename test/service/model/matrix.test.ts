import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../support/launch.js";

/*
 * What holds under what: rows are what goes wrong, columns are promises of the service by their words in test/README.md. A cell is a letter
 * of a test, or of a reason why the pair makes no sense.
 */
const TESTS: Record<string, string> = {
  M: 'model/model.test: "is as the model says"',
  K: 'model/spawned.test: "is as the model says where things break"',
  P: 'model/spawned.test: "goes on where it was killed after one of its operations"',
  W: 'database/embedded.test: "has synced its log for each event before that is answered with 200"',
  U: 'attack/upgrade.test: "changes the tables under load"',
  A: 'commands/archive/archive.test: "is refused where the database was restored to before the files"',
  S: 'database/settled.test: "believes one that is set forward once that time has really passed"',
};
const REASONS: Record<string, string> = {
  n: "nothing is broken that would have to end",
  c: "a command knows no token, and its output is no answer",
  e: "it concerns events, not tokens",
  f: "a command of its own does not see it",
  t: "figures and erasures ask for no token of pages",
  d: "what is committed is committed alike, whichever table: the first cell of the row holds it",
};

const PROMISES = [
  "answered with 200 is there: once with a stamp, else at least once",
  "erased is in no row, file or answer, and comes back by a new event alone",
  "every figure equals a count anew, in each time zone",
  "who follows has each settled event once, in the order of ids",
  "a token that does not hold sees and changes nothing",
  "each answer has the form that the description has",
  "once a fault ends all is answered again within a minute",
  "the files of an archive have each event once",
];

const MATRIX: Record<string, string> = {
  "the same event again": "M M M M e M n M",
  "an import of what was before": "M M M M c c n M",
  "an erasure": "M M M M M M n M",
  retention: "M M M M e M n M",
  "a dump that is restored": "M M M M M M n A",
  "a move to another server": "M M M M M M n M",
  "a second process": "M M M M M M n f",
  "a slow statement": "M M M M M M M M",
  "a clock that is set": "M M M S M M M f",
  "a token that is replaced or revoked": "M t t M M M n c",
  "kill -9 of the service": "K K K K K K K f",
  "SIGTERM while requests are under way": "K K K K K K K f",
  "PostgreSQL is killed": "K K K K K K K K",
  "connections are cut": "K K K K K K K K",
  "the disk is full": "K K K K K K K K",
  "the end of a command or an erasure at any operation": "P P P P e c P P",
  "a power cut": "W d d d d c W d",
  "a release that is gone back to": "U K K K K K U K",
};

it("has a test for each promise under each fault, or a reason why the pair makes no sense", () => {
  const readme = readFileSync(join(ROOT, "test/README.md"), "utf8");
  for (const promise of PROMISES) expect(readme).toContain(`| ${promise} `);
  for (const [fault, cells] of Object.entries(MATRIX))
    for (const [at, promise] of PROMISES.entries())
      expect({ ...TESTS, ...REASONS }, `${promise}, under: ${fault}`).toHaveProperty(cells.split(" ")[at] ?? "");
});

it.each(Object.values(TESTS))("names a test that is there: %s", (cell) => {
  const [, file, name] = /^(\S+): "(.+)"$/.exec(cell)!;
  expect(readFileSync(join(ROOT, `test/service/${file}.ts`), "utf8")).toContain(name!);
});
