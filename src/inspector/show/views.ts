/** Page views: why there may be none, and what they replace in the page's address. */
import { redact } from "../../browser/capture/redact.js";
import { optionsOf } from "../find/options.js";
import type { Activity } from "../watch/activity.js";
import type { Snapshot } from "../watch/snapshot.js";

type Options = Parameters<typeof redact>[1];

/** Why no page view may have been counted. */
export const noView = (snapshot: Snapshot, activity: Activity): string => {
  const { pageviews, beforeSend } = optionsOf(snapshot, activity);
  if (pageviews === "off") return 'None: pageviews is "off", so only a call of pageview() counts one.';
  if (beforeSend) return "None yet. beforeSend, a function of this page, may drop them.";
  return /#./.test(snapshot.href) && pageviews !== "hash"
    ? 'None yet. What changes behind # alone counts only with pageviews "hash".'
    : "None yet.";
};

/** Which parameters and ids are replaced, and the attributes that keep them, in words; `""` where nothing is. */
export const replacedIn = (snapshot: Snapshot, activity: Activity): string => {
  const { query, paths } = optionsOf(snapshot, activity) as Options;
  const { href } = snapshot;
  const given = /^(all|none)$/.test(`${query}`) ? [] : (`${query ?? ""}`.match(/[^\s,]+/g) ?? []);
  const stored = (options: Options): string => redact(href, { query, paths, ...options });
  const found = [...href.matchAll(/[?&#]([^=?&#/]+)=/g)].map(([, name]) => name!);
  // The rule itself is asked: a parameter is replaced if naming it makes a difference.
  const names = [...new Set(found)].filter((name) => stored({ query: given }) !== stored({ query: [...given, name] }));
  const keeping = query === "all" || query === "none" ? [] : names;
  return [
    ...(keeping.length > 0
      ? [`the values of ${keeping.join(", ")}; data-query="${[...given, ...keeping].join(" ")}" keeps them`]
      : []),
    ...(stored({ paths: "keep" }) === stored({}) ? [] : ['ids in the path; data-paths="keep" keeps them']),
  ].join(". And ");
};
