import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ALLOW_NOTHING, PAGE_HEADERS } from "../../src/service/http/headers.js";
import { refuseOtherHosts } from "../../src/service/http/own-host.js";
import { RECORDS } from "../records/records.js";
import { type MadeEvents, madeRoutes } from "./made-routes.js";
import { inlineScriptHashes, renderPage } from "./render.js";
import { type ServiceSwitch, switchRoutes } from "./switch-routes.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));

export interface SiteOptions {
  /** Folder of the built snippet, absolute. */
  dist: string;
  /** What a page may name as `{{name}}`, asked for at each request: nothing of it is written into a page's source. */
  values: () => { serviceUrl: string; apiToken: string; restartCommand: string };
  /** Reads from the service: pages are given no access token. */
  accessToken: string;
  /** Lets pages stop and start the service. */
  service: ServiceSwitch;
  /** The events that were made for a database of the demo's own. */
  made?: MadeEvents;
}

/** Every page and the address it is served under; the single-page app answers for all of its views. */
const PAGES: Record<string, string> = {
  "/": "index.html",
  "/index.html": "index.html",
  "/classic.html": "classic.html",
  "/classic/features.html": "classic/features.html",
  "/classic/pricing.html": "classic/pricing.html",
  "/spa.html": "spa.html",
  "/spa/:view": "spa.html",
  "/late.html": "late.html",
  "/live.html": "live.html",
};

/** Asked for again each time, so that a fresh build shows; "no-store" would cost Firefox its back/forward cache. */
const revalidate = (reply: FastifyReply): void => {
  reply.header("cache-control", "no-cache");
};

/** The snippet is for pages of other origins, too, which may ask for it with `crossorigin` or `import()`. */
const share = (reply: FastifyReply): void => {
  revalidate(reply);
  reply.header("access-control-allow-origin", "*");
};

/**
 * The demo site: the pages, the built snippet under `/dist/`, what they have in common with the service's pages under
 * `/shared/`, and who and what pages may ask for: `/contacts`, `/events`. Not listening yet.
 */
export const createSite = async ({
  dist,
  values,
  accessToken,
  service,
  made,
}: SiteOptions): Promise<FastifyInstance> => {
  const site = fastify({ forceCloseConnections: true });
  refuseOtherHosts(site);
  site.addHook("onRequest", async (_request, reply) => void reply.headers(PAGE_HEADERS));

  const sendPage = async (file: string, { url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const page = await renderPage(
      await readFile(`${HERE}pages/${file}`, "utf8"),
      (name) => readFile(`${HERE}pages/parts/${name}.html`, "utf8"),
      values(),
      url.split("?", 1)[0]!,
    );
    revalidate(reply);
    reply.header(
      "content-security-policy",
      [
        ALLOW_NOTHING,
        ["script-src 'self'", ...inlineScriptHashes(page)].join(" "),
        "style-src 'self'; img-src 'self' data:",
        `connect-src 'self' ${values().serviceUrl}`,
        "require-trusted-types-for 'script'; trusted-types demo",
      ].join("; "),
    );
    return reply.type("text/html; charset=utf-8").send(page);
  };
  for (const [address, file] of Object.entries(PAGES))
    site.get(address, async (request, reply) => sendPage(file, request, reply));
  site.setNotFoundHandler(async (request, reply) => sendPage("404.html", request, reply.code(404)));
  switchRoutes(site, service);
  madeRoutes(site, made);
  site.get("/contacts", async () => RECORDS.visitors);
  site.get("/events", async ({ url }, reply) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    const answer = await fetch(`${values().serviceUrl}/v2${url}`, { headers }).catch(() => undefined);
    if (!answer) return reply.code(502).send({ error: "the service does not answer" });
    return reply
      .code(answer.status)
      .type("application/json")
      .send(await answer.text());
  });

  const folder = (prefix: string, root: string, setHeaders = revalidate) =>
    site.register(fastifyStatic, {
      prefix,
      root,
      decorateReply: false,
      index: false,
      cacheControl: false,
      setHeaders,
    });
  await folder("/assets/", `${HERE}assets`);
  await folder("/shared/", fileURLToPath(new URL("../../build/service/page", import.meta.url)));
  await folder("/dist/", dist, share);
  return site;
};
