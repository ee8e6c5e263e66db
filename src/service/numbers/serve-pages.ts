import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyPluginAsync } from "fastify";
import { sha256 } from "../access/tokens.js";
import { ROOT_FOLDER } from "../config/options.js";
import { PAGE_HEADERS, PAGES_POLICY } from "../http/headers.js";

const FILES = {
  "main.js": "text/javascript",
  "main.css": "text/css",
  "icon.svg": "image/svg+xml",
  "bookmark.svg": "image/svg+xml",
};

/**
 * What pages of every origin load, with how long it may be kept. A pasted tag names no release, so the script's path has no hash.
 * Its name is one that lists of filters do not know.
 */
const EVERYWHERE = { "/numbers/lib.js": "public, max-age=3600", "/inspector.js": "no-cache" };

/** The pages. Which one it is, the script reads from the address. */
const PATHS = ["/", "/accounts", "/accounts/:id", "/contacts", "/contacts/:id", "/steps", "/questions", "/left-out"];

/**
 * The pages, each of which holds nothing but a form. What they show is asked for with the access token.
 * `/numbers/lib.js`: the script, compressed as the browser takes it; `/inspector.js`: the inspector.
 */
export const pages: FastifyPluginAsync = async (app) => {
  const folder = new URL("build/service/page/", ROOT_FOLDER);
  const read = (file: string) => readFile(new URL(file, folder));
  let page = (await read("index.html")).toString();
  app.addHook("onRequest", async (_request, reply) => void reply.headers(PAGE_HEADERS));
  for (const [file, type] of Object.entries(FILES)) {
    const content = await read(file);
    page = page.replaceAll(`/numbers/${file}`, `/numbers/${file}?${sha256(content.toString("latin1")).slice(0, 16)}`);
    app.get(`/numbers/${file}`, { schema: { hide: true } }, async ({ url }, reply) => {
      const caching = url.includes("?") ? "public, max-age=31536000, immutable" : "no-cache";
      return reply.headers({ "cache-control": caching, "content-type": `${type}; charset=utf-8` }).send(content);
    });
  }
  await app.register(fastifyStatic, {
    root: fileURLToPath(folder),
    serve: false,
    cacheControl: false,
    preCompressed: true,
  });
  for (const [path, caching] of Object.entries(EVERYWHERE))
    app.get(path, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .headers({
          "access-control-allow-origin": "*",
          "cross-origin-resource-policy": "cross-origin",
          "cache-control": caching,
        })
        .sendFile(basename(path)),
    );
  for (const path of PATHS)
    app.get(path, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .headers({ "cache-control": "no-cache", "content-security-policy": PAGES_POLICY })
        .type("text/html; charset=utf-8")
        .send(page),
    );
};
