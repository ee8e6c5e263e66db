import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { localise } from "../harness/install.js";
import type { Site } from "../harness/site.js";
import { DEMO_TOKEN } from "../harness/tag.js";
import { type AppName, BY_TAG, buildApp } from "./build.js";
import { LINKS } from "./links.js";

/** Every address that the apps have. */
const PATHS = ["/", "/about", "/list", "/old", "/new"];
/** The apps whose server knows that a page has moved. */
const REDIRECTING: readonly AppName[] = ["turbo", "htmx", "astro"];

const anchors = Object.entries(LINKS).map(([id, to]) => `<a id="${id}" href="${to}">${id}</a>`);
/** The same as htmx has it: the last one asked for is fetched, put in place of the view, and pushed. */
const htmxAnchors = Object.entries(LINKS).map(
  ([id, to]) =>
    `<a id="${id}" href="${to}" hx-get="${to}" hx-target="main" hx-select="main" hx-swap="outerHTML"
      hx-push-url="true" hx-sync="closest nav:replace">${id}</a>`,
);

interface ServeOptions {
  site: Site;
  contact: string;
  /** Where the app's own configuration leads; the tag has that of the site. */
  trackUrl: string;
  /** `"hash"`: the app's router keeps its addresses in the fragment, where it knows both. */
  history?: "path" | "hash";
  /** Do the site's options hold, in place of the app's own? */
  isConfigured?: boolean;
}

/** The text files of a built app by their path on the site: `/index.html`, `/assets/…`. */
export const readFiles = async (folder: string): Promise<Map<string, string>> => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const texts = paths.filter((path) => [".html", ".js", ".css", ".json", ".txt"].includes(extname(path)));
  const url = (path: string): string => `/${relative(folder, path).split(sep).join("/")}`;
  return new Map(await Promise.all(texts.map(async (path) => [url(path), await readFile(path, "utf8")] as const)));
};

/** Puts a built app on the site, with the script tag in its head, where it does not import the package. */
export const serveApp = async (
  name: AppName,
  { site, contact, trackUrl, history = "path", isConfigured = history === "hash" }: ServeOptions,
): Promise<void> => {
  const files = await readFiles(await buildApp(name));
  const fill = (text: string): string => localise(text, DEMO_TOKEN, trackUrl).replaceAll("CONTACT_UID", contact);
  // A router of fragments wants an option; the first configuration of a page holds, which is the tag's.
  const tag = BY_TAG.includes(name) || isConfigured ? site.tag() : "";
  // The app of Next.js names its visitor by itself.
  const identify =
    name === "next"
      ? ""
      : `<script>(window.tracklet = window.tracklet || []).push(["identify", ${JSON.stringify(contact)}])</script>`;
  // An app with one page for all addresses, or one that was rendered for each of them.
  const templateOf = (path: string): string =>
    files.get(`${path}/index.html`) ?? files.get(`${path}.html`) ?? files.get("/index.html")!;
  const html = ({ url = "/" }: IncomingMessage): string =>
    fill(templateOf(url.split("?")[0]!))
      .replace("<html", `<html data-history="${history}"`)
      .replace("<head>", () => `<head>${identify}${tag}`)
      .replace("<!--links-->", () => (name === "htmx" ? htmxAnchors : anchors).join("\n"))
      .replace("<!--view-->", url.replaceAll("&", "&amp;"));

  for (const [path, text] of files) if (!path.endsWith(".html")) site.page(path, fill(text));
  for (const path of PATHS) site.page(path, html);
  if (REDIRECTING.includes(name)) site.page("/old", "", { status: 302, headers: { location: "/new" } });
};
