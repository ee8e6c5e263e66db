import { DEMO_TOKEN } from "../harness/tag.js";
import { ACCOUNT, CONTACT } from "./event.js";
import { repeat } from "./rounds.js";
import type { Stage } from "./stage.js";
import { median, type Pair } from "./statistics.js";
import type { Comparison } from "./table.js";

/** Pages a round: each gives one sample, for a script runs once a page, cold. */
const PAGES = 3;
const SECONDS = 15;

/** Runs in the page: milliseconds that inserting an inline script takes, which compiles and runs it at once. */
const runScript = ({ code, options }: { code: string; options: Record<string, string> }): number => {
  const script = document.createElement("script");
  Object.assign(script.dataset, options);
  script.text = code;
  const start = performance.now();
  document.head.append(script);
  return performance.now() - start;
};

/** Compilation, evaluation and `init` with its first page view, against scripts of the same size that do nothing. */
export const benchStart = async (stage: Stage): Promise<Comparison[]> => {
  const options = { apiToken: DEMO_TOKEN, trackUrl: stage.service.url, contactUid: CONTACT, accountUid: ACCOUNT };
  // The same bytes in a function that is never called: they are read and parsed, nothing of them runs.
  const noop = `function unused(){${stage.bundle}}`;
  const scripts = { ours: stage.bundle, noop, storage: `${noop}localStorage.length` };

  const sample = (code: string): Promise<number> =>
    stage.visitBare((page) => page.evaluate(runScript, { code, options }));
  const noops: Pair[] = [];
  const storages: Pair[] = [];
  await repeat(SECONDS, async () => {
    const times = { ours: [] as number[], noop: [] as number[], storage: [] as number[] };
    for (let page = 0; page < PAGES; page++)
      for (const name of ["ours", "noop", "storage"] as const) times[name].push(await sample(scripts[name]));
    noops.push({ ours: median(times.ours), bare: median(times.noop) });
    storages.push({ ours: median(times.ours), bare: median(times.storage) });
  });
  return [
    { what: "script + init + page view, against a no-op of the same size", unit: "ms", rounds: noops },
    { what: "  the same, the no-op opening localStorage", unit: "ms", rounds: storages },
  ];
};
