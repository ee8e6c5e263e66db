/** What is wrong with how the tracker stands in the page: its script, its tag, its options, its calls. */

import type { Activity } from "../watch/activity.js";
import type { Snapshot } from "../watch/snapshot.js";
import type { Stored } from "../watch/stored.js";
import { DEFAULT_NAME } from "../watch/trackers.js";
import { mistakesInCalls } from "./calls.js";
import { configures, mistakesInInit, mistakesInNames, mistakesInTag } from "./options.js";
import { ofReplaced } from "./script.js";
import { isEarly } from "./sending.js";

/** The script has not loaded: why, where a tag says what should have. */
const ofScript = (snapshot: Snapshot, activity: Activity): string[] => {
  const { name, global, calls, tag } = snapshot;
  const { script, hasRequests } = activity;
  if (global !== "absent" && global !== "waiting") return [];
  const waiting = calls.length > 0 ? ` Calls wait (${calls.length}).` : "";
  if (script) return [script + waiting];
  if (global === "waiting" && hasRequests) return [ofReplaced(name)];
  if (isEarly(snapshot, activity)) return [];
  if (global === "absent")
    return [
      tag
        ? "The script of the tag has not loaded yet."
        : `There is no tracker on this page: no global is called ${name}. Neither a script tag nor an app's call of init has made one.`,
    ];
  if (!tag)
    return [
      `The script has not loaded, and calls wait (${calls.length}): no script tag of tracklet is to be seen that would take them over, and no app has called init.`,
    ];
  return [
    `The script has not loaded, and calls wait (${calls.length}): check the tag's address, the page's script-src, and whether an extension of the browser blocks it.`,
  ];
};

/** Scripts in the page that the page's policy has stopped. */
const ofInline = (
  { name, global, calls, inline }: Snapshot,
  { contact }: Stored,
  { stopsInline }: Activity,
): string[] => {
  // A policy may stop another script, and let this one run by its hash.
  const hasRun = calls.length > 0 || contact !== "";
  if (!inline.calls || hasRun || !(stopsInline || global === "absent")) return [];
  const cause = stopsInline
    ? "the page's Content-Security-Policy stops scripts that stand in the page"
    : "the page's Content-Security-Policy stops it, or an error does, which the console shows";
  return [
    `A script in this page calls ${name}, and has not run: ${cause}. Give it the page's nonce, or make a file of it; data-contact-uid identifies without a script.`,
  ];
};

export const ofInstallation = (snapshot: Snapshot, stored: Stored, activity: Activity): string[] => {
  const { name, global, calls, strayCalls, tag, inline } = snapshot;
  const found = [...ofScript(snapshot, activity), ...ofInline(snapshot, stored, activity)];
  if (strayCalls > 0)
    found.push(
      `Calls wait in window.${DEFAULT_NAME} (${strayCalls}), and nothing takes them over: this tracker is called ${name}. Write window.${name} in the page's calls, or take data-name away.`,
    );
  if (global === "idle" && !isEarly(snapshot, activity))
    found.push(
      "The tracker has no options, and calls wait for them: no tag has data-api-token and data-track-url, and nothing has called init with apiToken and trackUrl, written so. Where a tag manager takes attributes away, call init.",
      ...mistakesInNames(inline.options),
    );
  if (configures(tag) && !tag.apiToken) found.push("The tag has no data-api-token.");
  if (configures(tag) && !tag.trackUrl) found.push("The tag has no data-track-url.");
  found.push(...mistakesInTag(tag ?? {}), ...mistakesInCalls(calls));
  // What a tag configures is looked at there.
  if (activity.options && !configures(tag)) found.push(...mistakesInInit(activity.options));
  if (activity.dropped.has("beforeSend") && activity.queued === 0)
    found.push(
      `beforeSend drops every event (${activity.dropped.get("beforeSend")} since this panel was opened): it returns null or false. Let it return the event, or nothing.`,
    );
  return found;
};
