import axe from "axe-core";
import type { Scope } from "./tab.js";

/** What axe finds in a page and what is open in it: by all of its rules, or by those that the options name. */
export const faultsOf = async (tab: Scope, options: axe.RunOptions = {}): Promise<string[]> => {
  if (!(await tab.evaluate(`"axe" in window`))) await tab.evaluate(axe.source);
  // Of what is right one place is enough, and no file is loaded a second time.
  const all: axe.RunOptions = { resultTypes: ["violations"], preload: false, ...options };
  const { violations, passes } = await tab.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(all)})`);
  if (violations.length + passes.length === 0) throw new Error("there is nothing to look at");
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
};
