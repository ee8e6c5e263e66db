import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { openPlace, openServer, type Place } from "./database.js";
import { type RunningService, type StartOptions, startService } from "./service.js";
import type { spawnService } from "./service-process.js";
import { runTold } from "./told-command.js";

/** A folder for the tests of a file, with which it goes. PostgreSQL, which runs as another user where root runs the tests, may enter it. */
export const useFolder = (parent = tmpdir()): string => {
  const folder = mkdtempSync(join(parent, "tracklet-test-"));
  chmodSync(folder, 0o755);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** An empty place for the tests of a file: that of a data folder, or the database that is given. It is there from `beforeAll` on. */
export const usePlace = (open: () => Promise<Place & { leave(): Promise<void> }> = openPlace): Place => {
  const place = {} as Awaited<ReturnType<typeof open>>;
  beforeAll(async () => void Object.assign(place, await open()));
  afterAll(() => place.leave());
  return place;
};

/** The same of a server that somebody gives: several services, roles. */
export const useServer = () => usePlace(openServer) as Place & { databaseUrl: string };

/** A database for the tests of a file, with which it is closed. It is there from `beforeAll` on. */
export const useDatabase = (place: Place = usePlace()): Database => {
  const database = {} as Database;
  beforeAll(async () => void Object.assign(database, await openDatabase(place)));
  afterAll(() => database.close());
  return database;
};

/**
 * A service for the tests of a file, over an empty database, with which it is closed. It is there from `beforeAll` on.
 *
 * @param options may depend on the database
 */
export const useService = (options: StartOptions | ((database: Database) => StartOptions) = {}) => {
  const place = usePlace();
  const service = { place } as RunningService & { place: Place; database: Database };
  beforeAll(async () => {
    const database = await openDatabase(place);
    const given = typeof options === "function" ? options(database) : options;
    Object.assign(service, await startService({ ...place, database, ...given }), { database });
  });
  afterAll(() => service.close());
  return service;
};

/** Expects a status, and a body that is exactly `{"error": "<text>"}`. */
export const expectRefusal = async (answer: Response, status: number, text: RegExp): Promise<void> => {
  const body = await answer.json();
  expect({ status: answer.status, body }).toEqual({ status, body: { error: expect.stringMatching(text) } });
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
};

/** Asks for permission to post JSON, as a browser does; gives status and header fields. */
export const preflight = async (url: string, origin: string) => {
  const headers = { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
  const answer = await fetch(url, { method: "OPTIONS", headers });
  return [answer.status, Object.fromEntries(answer.headers)];
};

/** Header fields with which everything is allowed for a day. */
export const ALLOWED = (origin: string) =>
  expect.objectContaining({
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers": "Content-Type, Authorization, Accept",
    "access-control-max-age": "86400",
    vary: expect.stringContaining("Origin"),
  });

/** The only line with which a process of the service ends that cannot start. */
export const refusalOf = async (service: ReturnType<typeof spawnService>): Promise<string> => {
  const wrongly = service.ready().then(
    (url) => expect.unreachable(`it is ready at ${url}`),
    () => service.closed,
  );
  const { code, stdout, stderr } = await Promise.race([service.closed, wrongly]);
  expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 1, stdout: "", lines: 2 });
  return stderr;
};

/** A second workspace, which commands know by the environment. */
export const SHOP = { name: "shop", apiToken: "shop-api-token", accessToken: "shop-access-token" };
export const DAY = 86_400_000;
export const TODAY = Math.floor(Date.now() / DAY) * DAY;

/** The command line at a place, with the demo's records and four events. Default: a server, so that no command starts one. */
export const useCommands = (place: Place = useServer()) => {
  const withService = async (work: (service: RunningService) => Promise<unknown>, options: StartOptions = {}) => {
    const service = await startService({ ...place, workspaces: [SHOP], ...options });
    await work(service).finally(service.close);
  };
  const runAt = (at: Place, ...args: string[]) => runTold({ ...at, workspaces: [SHOP] }, ...args);

  beforeAll(() =>
    withService(
      async (service) => {
        const exact = `{"big":1e400, "text":"a\\u0000\\"b",\n"lines":"ä,☃"}`;
        await service.post(`{"contact_uid":"anna, \\"A\\"","event_uid":"=1+1","params":${exact}}`);
        const params = { account_uid: "acme", occurred_at: TODAY - 29 * DAY };
        await service.post({ contact_uid: "ben", event_uid: "bought", params });
        await service.post({
          contact_uid: "contact-001",
          event_uid: "seen",
          params: { occurred_at: TODAY - 31 * DAY },
        });
        await service.post({ contact_uid: "ben", event_uid: "theirs" }, {}, `?api_token=${SHOP.apiToken}`);
      },
      { hasRecords: true },
    ),
  );
  return { place, withService, runAt, run: (...args: string[]) => runAt(place, ...args) };
};
