/** What is wrong with the add-ons. */
import type { Activity } from "../watch/activity.js";
import type { Snapshot } from "../watch/snapshot.js";
import { closest } from "./closest.js";
import { isEarly } from "./sending.js";

const OPTIONS = ["outbound", "downloads"];

const ofOption = (option: string): string[] => {
  const meant = OPTIONS.includes(option) ? "" : closest(option, OPTIONS);
  return meant ? [`data-${option} is no option of the add-on for clicks: perhaps data-${meant} is meant.`] : [];
};

export const ofAddOns = (snapshot: Snapshot, activity: Activity): string[] => {
  const { addOns, unnamed } = snapshot;
  const found = addOns.flatMap(({ options }) => Object.keys(options).flatMap(ofOption));
  for (const { src, isRunning } of addOns)
    if (!isRunning && !isEarly(snapshot, activity))
      found.push(
        `The add-on at ${src} has not run: check the address, the page's script-src, and whether an extension of the browser blocks it.`,
      );
  if (unnamed > 0)
    found.push(
      `data-track names no event on ${unnamed === 1 ? "an element" : `${unnamed} elements`}, so nothing is tracked there: write data-track="plan_chosen", say.`,
    );
  return found;
};
