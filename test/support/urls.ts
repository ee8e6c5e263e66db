import { readFileSync } from "node:fs";

/*
 * The lists of the folder `urls`: secret ones, of which what stands between `<` and `>` must not leave the page, and harmless
 * ones, of which not a character changes. All values are made up. An entry is a query, a path that begins with `/` or `#`, or a
 * whole URL.
 *
 * The rule of redaction was tuned to four of them, by the product whose documents they come from, and by family, after standards
 * and products. The other two, as sites have them, were written before the rule was changed for the last time. They are held
 * out, and tell how well it does.
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

export const TUNED = {
  secret: [...read("tuned-secret"), ...read("secret")],
  harmless: urls("tuned-harmless", "harmless"),
};
export const HELD_OUT = { secret: read("sites-secret"), harmless: urls("sites-harmless") };

/** How many of each of its lists the rule is right about: the documents quote it. */
export const HELD_OUT_COUNTS = ["83 of 86", "106 of 113"];

const decodeAll = (text: string): string => {
  const decoded = unescape(text);
  return decoded === text ? text : decodeAll(decoded);
};

/** Does a text still tell a secret of the URL, however often it is encoded? */
export const tells = (text: string, { secrets }: SecretUrl): boolean =>
  secrets.some((secret) => decodeAll(text).includes(decodeAll(secret)));
