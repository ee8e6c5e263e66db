import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { APP_NAMES, buildApp, prepareTests } from "./build.js";

/** The environment variable that tells the workers where the builder is. */
export const BUILDER_URL = "TEST_BUILDER";

/**
 * Builds apps for all workers of a run, when they first ask for one, and one after the other: two builds or
 * installations at a time would disturb each other.
 *
 * @param isAll whether all apps will be asked for: they are built from now on, beside the tests that need none
 */
export const startBuilder = async (isAll: boolean): Promise<{ url: string; dispose: () => void }> => {
  const built = new Map<string, Promise<string>>();
  let last: Promise<unknown> = Promise.resolve();
  const build = (path: string): Promise<string> => {
    const name = APP_NAMES.find((app) => path === `/${app}`);
    if (!name && path !== "/vitest") return Promise.reject(new Error(`${path} is no app`));
    const folder = built.get(path) ?? last.then(() => (name ? buildApp(name) : prepareTests()));
    built.set(path, folder);
    last = folder.catch(() => {});
    return folder;
  };
  if (isAll) for (const name of APP_NAMES) build(`/${name}`).catch(() => {});
  const server = createServer(({ url = "" }, response) => {
    build(url).then(
      (folder) => response.end(folder),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dispose: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/**
 * Asks the builder for an app; resolves to the folder of the built files.
 *
 * @throws Error with what the build said, where it failed
 */
export const askForApp = async (name: string): Promise<string> => {
  // Not `fetch`, which gives up after five minutes.
  const [response] = (await once(get(`${process.env[BUILDER_URL]}/${name}`), "response")) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`${name} could not be built: ${answer}`);
  return answer;
};
