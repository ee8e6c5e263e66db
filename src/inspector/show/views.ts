/** What page views replace in the page's address. */
import { redact } from "../../browser/capture/redact.js";
import type { Evidence } from "../find/evidence.js";

type Options = Parameters<typeof redact>[1];

/** Which parameters and ids are replaced, and the attributes that keep them, in words; `""` where nothing is. */
export const replacedIn = (evidence: Evidence): string => {
  const { query, paths } = evidence.options as Options;
  const { href } = evidence.page;
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
