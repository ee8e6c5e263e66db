import { createHash } from "node:crypto";

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char]!);

/**
 * Fills a page in: `{{> name}}` becomes the part of that name, which may name others, `{{name}}` the escaped value of that
 * name, and a link to the page itself, or with `data-section` to the first page of its section, is marked as the current one.
 *
 * @param part reads a part's source
 * @param values what may be named in a page; a name that is not among them throws, so that a misspelling shows
 * @param path path of the page
 */
export const renderPage = async (
  source: string,
  part: (name: string) => Promise<string>,
  values: Record<string, string>,
  path: string,
): Promise<string> => {
  const section = `/${path.split("/", 2)[1]!.replace(/\.html$/, "")}.html`;
  return (await withParts(source, part))
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`the page names an unknown value: ${name}`);
      return escapeHtml(value);
    })
    .replace(/<a [^>]*href="([^"]*)"/g, (link, href: string) => {
      if (href === path) return `${link} aria-current="page"`;
      return href === section && link.includes("data-section") ? `${link} aria-current="true"` : link;
    });
};

const withParts = async (source: string, part: (name: string) => Promise<string>): Promise<string> => {
  const pieces = source.split(/\{\{> (\w+)\}\}/);
  // Every other piece is a name.
  const filled = pieces.map(async (piece, at) => (at % 2 === 0 ? piece : withParts(await part(piece), part)));
  return (await Promise.all(filled)).join("");
};

/** What a content security policy must name so that the page's own inline scripts run: the hash of each (CSP 3 §2.3.1). */
export const inlineScriptHashes = (page: string): string[] =>
  Array.from(
    page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs),
    ([, source]) => `'sha256-${createHash("sha256").update(source!).digest("base64")}'`,
  );
