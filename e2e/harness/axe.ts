import axe from "axe-core";
import type { Scope } from "./tab.js";

/** What axe finds in a page and what is open in it: by all of its rules, or by one, which must have found something to look at. */
export const faultsOf = async (tab: Scope, rule?: string): Promise<string[]> => {
  if (!(await tab.evaluate(`"axe" in window`))) await tab.evaluate(axe.source);
  // Of what is right one place is enough, and no file is loaded a second time.
  const options = { resultTypes: ["violations"], preload: false, ...(rule && { runOnly: [rule] }) };
  const { violations, passes } = await tab.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`);
  if (violations.length + passes.length === 0) throw new Error("there is nothing to look at");
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
};
