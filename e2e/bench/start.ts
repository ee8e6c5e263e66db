import { DEMO_TOKEN } from "../harness/tag.js";
import { ACCOUNT, CONTACT } from "./event.js";
import { plausibleScript } from "./plausible.js";
import { repeat } from "./rounds.js";
import type { Stage } from "./stage.js";
import { median, type Pair } from "./statistics.js";
import type { Comparison } from "./table.js";

/** Pages a round: each gives one sample, for a script runs once a page, cold. */
const PAGES = 3;
const SECONDS = 20;

interface Run {
  code: string;
  options: Record<string, string>;
}

/**
 * Runs in the page: milliseconds that inserting an inline script takes, which compiles and runs it at once, with what it
 * does as soon as its caller is done.
 */
const runScript = async ({ code, options }: Run): Promise<number> => {
  const script = document.createElement("script");
  Object.assign(script.dataset, options);
  script.text = code;
  const start = performance.now();
  document.head.append(script);
  await undefined;
  return performance.now() - start;
};

/**
 * Compilation, evaluation and `init` with its first page view, against scripts of the same size that do nothing, and
 * against a small peer.
 */
export const benchStart = async (stage: Stage): Promise<Comparison[]> => {
  const options = { apiToken: DEMO_TOKEN, trackUrl: stage.service.url, contactUid: CONTACT, accountUid: ACCOUNT };
  // The same bytes in a function that is never called: they are read and parsed, nothing of them runs.
  const noop = `function unused(){${stage.bundle}}`;
  const references = [
    { what: "script + init + page view, against a no-op of the same size", code: noop },
    { what: "  the same, the no-op opening localStorage", code: `${noop}localStorage.length` },
    {
      what: "  the same, Plausible's tracker",
      code: await plausibleScript(`${stage.service.url}/plausible`),
      target: 1,
    },
  ];
  const scripts = [stage.bundle, ...references.map(({ code }) => code)];

  const sample = (code: string): Promise<number> =>
    stage.visitBare((page) => page.evaluate(runScript, { code, options }));
  const rounds: Pair[][] = references.map(() => []);
  await repeat(SECONDS, async () => {
    const times: number[][] = scripts.map(() => []);
    for (let page = 0; page < PAGES; page++)
      for (const [index, code] of scripts.entries()) times[index]!.push(await sample(code));
    const [ours, ...others] = times.map(median);
    for (const [index, bare] of others.entries()) rounds[index]!.push({ ours: ours!, bare });
  });
  return references.map(({ what, target }, index) => ({ what, unit: "ms", rounds: rounds[index]!, target }));
};
