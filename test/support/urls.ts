import { readFileSync } from "node:fs";

/*
 * The lists of the folder `urls`: secret ones, of which what stands between `<` and `>` must not leave the page, and harmless
 * ones, of which not a character changes. All values are made up. An entry is a query, a path that begins with `/` or `#`, or a
 * whole URL.
 *
 * `tuned-*`, by the product whose documents they come from, and `secret` and `harmless`, by family, after standards and products,
 * are those that the rule of redaction was first tuned to. `sites-*` are as sites have them. `seen-*` and `unseen-*` are halves
 * of one list with random values, parted by chance before the rule was changed for the last time: it was tuned to `seen-*`, and
 * measured with `unseen-*` once. These tell how well it does.
 */

export interface SecretUrl {
  family: string;
  url: string;
  /** As the URL holds them, encoded or not. */
  secrets: readonly string[];
}

const urlOf = (text: string): string => {
  if (/^https?:/.test(text)) return text;
  const isPath = /^[#/]|^[\w/.-]+\?/.test(text);
  return `https://app.test/${isPath ? text.replace(/^\//, "") : `a?${text}`}`;
};

/** The entries of a list. */
const read = (list: string): SecretUrl[] =>
  readFileSync(new URL(`urls/${list}.txt`, import.meta.url), "utf8")
    .split(/^## /m)
    .slice(1)
    .flatMap((block) => {
      const [family, ...lines] = block.split("\n") as [string, ...string[]];
      return lines
        .flatMap((line) => line.split(" "))
        .filter(Boolean)
        .map((text) => ({
          family,
          url: urlOf(text.replace(/[<>]/g, "")),
          secrets: [...text.matchAll(/<([^>]*)>/g)].map(([, secret]) => secret!),
        }));
    });

const urls = (...lists: string[]): string[] => lists.flatMap(read).map(({ url }) => url);

export const LISTS = {
  tuned: {
    secret: [...read("tuned-secret"), ...read("secret")],
    harmless: urls("tuned-harmless", "harmless"),
  },
  sites: { secret: read("sites-secret"), harmless: urls("sites-harmless") },
  seen: { secret: read("seen-secret"), harmless: urls("seen-harmless") },
  unseen: { secret: read("unseen-secret"), harmless: urls("unseen-harmless") },
};

/** How many of `unseen` the rule is right about: the documents quote it. */
export const UNSEEN_COUNTS = ["140 of 213", "239 of 247"];

const decodeAll = (text: string): string => {
  const decoded = unescape(text);
  return decoded === text ? text : decodeAll(decoded);
};

/** Does a text still tell a secret of the URL, however often it is encoded? */
export const tells = (text: string, { secrets }: SecretUrl): boolean =>
  secrets.some((secret) => decodeAll(text).includes(decodeAll(secret)));
