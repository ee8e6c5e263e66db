import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../test/support/ports.js";
import { createEither } from "./secure.js";
import { scriptTag, type TagOptions } from "./tag.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TYPES: Record<string, string> = {
  ".js": "text/javascript",
  ".json": "application/json",
  ".css": "text/css",
  ".txt": "text/plain",
};

/** A page as its tag, head and body, as a whole text, or as what makes that from the request. */
export type Html = HtmlOptions | string | ((request: IncomingMessage) => string);

export interface PageOptions {
  /** Response headers of this page, such as `content-security-policy` or `cache-control`. */
  headers?: Record<string, string>;
  status?: number;
  /** Default: by the path's extension, else HTML. */
  type?: string;
}

interface HtmlOptions {
  /** Markup in the head, before the script tag. */
  head?: string;
  /** Markup in the body. */
  body?: string;
  /** Options of this page's script tag; `false` for a page without it. */
  tag?: TagOptions | false;
  /** Who is identified before the bundle has loaded; `false` for nobody. Default: the site's contact. */
  identify?: string | false;
}

export interface SiteOptions {
  /** Options of the script tag on all pages. */
  tag?: TagOptions;
  /** Who is identified on all pages, by an inline call before the script tag. Default: nobody. */
  contact?: string;
  /** Default `false`. `true`: by HTTP/2 with TLS. */
  isSecure?: boolean;
}

/** Where pages that tell their errors send them. */
const ERRORS = "/page-errors";

/** Tells uncaught errors, unhandled rejections and calls of `console.error`, as the runner does where it drives the page. */
const TELLER = `<script>{
  const tell = (text) => navigator.sendBeacon("${ERRORS}", text);
  addEventListener("error", ({ message, error }) => { if (message) tell("uncaught: " + (error?.stack ?? message)); });
  addEventListener("unhandledrejection", ({ reason }) => tell("uncaught: " + (reason?.stack ?? reason)));
  const said = console.error;
  console.error = (...args) => { said(...args); tell("console.error: " + args.join(" ")); };
}</script>`;

export type Site = Awaited<ReturnType<typeof startSite>>;

const identifyTag = (contact: string | false): string =>
  contact === false
    ? ""
    : `<script>(window.tracklet = window.tracklet || []).push(["identify", ${JSON.stringify(contact)}])</script>`;

/**
 * Starts a website on a port of its own, so that the service is another origin. Every path that no test has defined is
 * an ordinary page with the script tag; `/dist/` holds the built files.
 */
export const startSite = async ({ tag = {}, contact, isSecure = false }: SiteOptions = {}) => {
  const port = await freePort();
  const pages = new Map<string, { html: Html } & PageOptions>();
  let defaults = tag;
  let prelude = "";
  let hear: ((text: string) => void) | undefined;

  /** A whole page; the script tag stands at the end of the head. */
  const html = ({ head = "", body = "", tag: own = {}, identify = contact ?? false }: HtmlOptions = {}): string => {
    const script = own === false ? "" : identifyTag(identify) + scriptTag({ ...defaults, ...own });
    return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>${head}${script}</head><body>${body}</body></html>`;
  };

  const built = async (path: string, response: ServerResponse): Promise<void> => {
    // `normalize` takes the dots out of an absolute path, so that nothing outside of dist/ is reachable.
    const file = join(ROOT, normalize(path));
    try {
      const content = await readFile(file);
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
      response.end(content);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end(`${path} is missing: build first (npm run build)`);
    }
  };

  const server = createEither(isSecure, port, (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    if (pathname.startsWith("/dist/")) return void built(pathname, response);
    if (pathname === "/favicon.ico") return void response.writeHead(204).end();
    const page = pages.get(pathname) ?? { html: html() };
    if (pathname === ERRORS) {
      request.setEncoding("utf8").on("data", (text: string) => hear?.(text));
      return void response.writeHead(204).end();
    }
    request.resume();
    response.writeHead(page.status ?? 200, {
      "content-type": page.type ?? `${TYPES[extname(pathname)] ?? "text/html"}; charset=utf-8`,
      ...page.headers,
    });
    const { html: given } = page;
    const text = typeof given === "function" ? given(request) : typeof given === "object" ? html(given) : given;
    // A page with a policy allows no script that it does not name.
    response.end(page.headers?.["content-security-policy"] ? text : text.replace("<head>", `<head>${prelude}`));
  });
  await server.open();

  return {
    /** The site's origin, `http://127.0.0.1:PORT`: a secure context for the browser. */
    url: server.url,
    /**
     * The same site under another host: `"localhost"` is another origin, a name that ends in `.test` is plain http as
     * in the wild (no secure context, another site than the service).
     */
    at: (host: string): string => server.url.replace("127.0.0.1", host),
    html,
    /** Defines (or replaces) a page, or any text file by its extension. */
    page: (path: string, content: Html, options: PageOptions = {}): void => {
      pages.set(path, { html: content, ...options });
    },
    /** Changes options of the script tag on all pages served from now on. */
    configure: (options: TagOptions): void => {
      defaults = { ...defaults, ...options };
    },
    /** Adds a script that runs before all others of each page served from now on. */
    first: (script: string): void => {
      prelude += `<script>${script}</script>`;
    },
    /** Lets the pages tell what goes wrong in them. */
    tellErrors: (listener: (text: string) => void): void => {
      hear = listener;
      prelude += TELLER;
    },
    /** The script tag with this site's options. */
    tag: (options: TagOptions = {}): string => scriptTag({ ...defaults, ...options }),
    close: server.shut,
  };
};
