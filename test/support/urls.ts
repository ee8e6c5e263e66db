import { readFileSync } from "node:fs";

/*
 * The lists of the folder `urls`: secret ones, of which what stands between `<` and `>` must not leave the page, and harmless
 * ones, of which not a character changes. All values are made up. An entry is a query, a path that begins with `/` or `#`, or a
 * whole URL.
 *
 * The rule of redaction was tuned to two of them, which are by the product whose documents they come from. The other two were
 * written by family, after standards and products, before the rule was looked at: every other entry is for tuning it; the rest
 * is held out, and tells how well it does.
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

/** The entries of a list, each with its place in its family. */
const read = (list: string): (SecretUrl & { place: number })[] =>
  readFileSync(new URL(`urls/${list}.txt`, import.meta.url), "utf8")
    .split(/^## /m)
    .slice(1)
    .flatMap((block) => {
      const [family, ...lines] = block.split("\n") as [string, ...string[]];
      return lines
        .flatMap((line) => line.split(" "))
        .filter(Boolean)
        .map((text, place) => ({
          family,
          place,
          url: urlOf(text.replace(/[<>]/g, "")),
          secrets: [...text.matchAll(/<([^>]*)>/g)].map(([, secret]) => secret!),
        }));
    });

const [secret, harmless] = [read("secret"), read("harmless")];
const isHeldOut = ({ place }: { place: number }): boolean => place % 2 === 1;
const isTuned = (entry: { place: number }): boolean => !isHeldOut(entry);
const urls = (entries: SecretUrl[]): string[] => entries.map(({ url }) => url);

export const TUNED = {
  secret: [...read("tuned-secret"), ...secret.filter(isTuned)],
  harmless: urls([...read("tuned-harmless"), ...harmless.filter(isTuned)]),
};
export const HELD_OUT = { secret: secret.filter(isHeldOut), harmless: urls(harmless.filter(isHeldOut)) };

const decodeAll = (text: string): string => {
  const decoded = unescape(text);
  return decoded === text ? text : decodeAll(decoded);
};

/** Does a text still tell a secret of the URL, however often it is encoded? */
export const tells = (text: string, { secrets }: SecretUrl): boolean =>
  secrets.some((secret) => decodeAll(text).includes(decodeAll(secret)));
