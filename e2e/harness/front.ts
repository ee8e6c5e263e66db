import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { freePort } from "../../test/support/ports.js";
import { forward } from "./forward.js";

/** A web server that stands before the site, on a domain of its own as far as a page can tell. */
export interface Front {
  url: string;
  close: () => Promise<void>;
}

/** The addresses that a recipe is given in place of those that it shows. */
export interface Places {
  /** The website. */
  site: string;
  /** The service. */
  service: string;
  /** Where the script is on the web. */
  cdn: string;
  /** The folder of the built script. */
  folder: string;
}

/** Puts the places of a test into a recipe; each of those that it shows must be there. */
export const place = (recipe: string, shown: Record<string, string>): string => {
  let text = recipe;
  for (const [example, real] of Object.entries(shown)) {
    if (!text.includes(example)) throw new Error(`the recipe does not show ${example}`);
    text = text.replaceAll(example, real);
  }
  return text;
};

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const listen = async (handle: RequestListener): Promise<Front> => {
  const port = await freePort();
  const server = createServer(handle);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Passes a request on to `target`, under another path, and the answer back, whatever it is. */
const pass = async (target: string, incoming: IncomingMessage, path: string) => {
  const { method = "GET", headers } = incoming;
  const body = await bodyOf(incoming);
  return forward(target, { method, path, headers: { ...headers, connection: "close" }, body });
};

/** Runs a worker: its handler is asked for what lies below `/i/`, and the site for all else. */
export const startWorker = (
  worker: { fetch: (request: Request) => Promise<Response> },
  { site }: Places,
): Promise<Front> =>
  listen(async (incoming, outgoing) => {
    try {
      const { method = "GET", url = "/", headers } = incoming;
      if (!url.startsWith("/i/")) {
        const reply = await pass(site, incoming, url);
        outgoing.writeHead(reply.status, reply.headers).end(reply.body);
        return;
      }
      const body = method === "POST" ? { body: (await bodyOf(incoming)).toString("utf8") } : {};
      const given = new Headers({ "cf-connecting-ip": "192.0.2.7" });
      for (const [name, value] of Object.entries(headers)) if (typeof value === "string") given.set(name, value);
      const answer = await worker.fetch(new Request(`http://shop.example${url}`, { method, headers: given, ...body }));
      const kept = [...answer.headers].filter(([name]) => !/^(connection|content-(encoding|length))$/.test(name));
      outgoing.writeHead(answer.status, Object.fromEntries(kept)).end(Buffer.from(await answer.arrayBuffer()));
    } catch {
      // As Cloudflare answers where a worker throws.
      outgoing.writeHead(500).end("the worker threw");
    }
  });

/** Applies rewrites, whose sources are plain paths, as Next.js does: the query goes along. */
export const startRewrites = (
  rewrites: readonly { source: string; destination: string }[],
  { site }: Places,
): Promise<Front> =>
  listen(async (incoming, outgoing) => {
    const asked = new URL(incoming.url ?? "/", "http://shop.example");
    const destination = rewrites.find(({ source }) => source === asked.pathname)?.destination;
    const { origin, pathname } = new URL(destination ?? asked.pathname, site);
    try {
      const reply = await pass(origin, incoming, `${pathname}${asked.search}`);
      outgoing.writeHead(reply.status, reply.headers).end(reply.body);
    } catch {
      outgoing.writeHead(500).end("internal server error");
    }
  });
