import { once } from "node:events";
import { createServer } from "node:net";

/*
 * Below every system's ephemeral range (Linux begins at 32768): a port that a test closes and opens again must not be
 * taken meanwhile as the local end of somebody's outgoing connection. None of these is on the browsers' list of
 * blocked ports.
 */
const FIRST = 20_000;
const LAST = 32_000;
const SLICES = 8;

/** Playwright's number of this worker, or Vitest's. */
const worker = Number(process.env.TEST_PARALLEL_INDEX ?? process.env.VITEST_POOL_ID ?? 0) % SLICES;
const slice = Math.floor((LAST - FIRST) / SLICES);
let next = Math.floor(Math.random() * slice);

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
};

/** A free port on 127.0.0.1. Workers draw from slices of their own, and no port is given out twice in a round. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < slice; tries++) {
    const port = FIRST + worker * slice + (next++ % slice);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST} and ${LAST}`);
};
