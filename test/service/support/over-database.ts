import { afterAll, beforeAll } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { openPlace, openServer, type Place } from "./places.js";
import { type RunningService, type StartOptions, startService } from "./running-service.js";

/** An empty place for the tests of a file: that of a data folder, or the database that is given. It is there from `beforeAll` on. */
export const usePlace = (open: () => Promise<Place & { leave(): Promise<void> }> = openPlace): Place => {
  const place = {} as Awaited<ReturnType<typeof open>>;
  beforeAll(async () => void Object.assign(place, await open()));
  afterAll(() => place.leave());
  return place;
};

/** The same of a server that somebody gives: several services, roles. */
export const useServer = (): Place & { databaseUrl: string } =>
  usePlace(async () => {
    const { url, leave } = await openServer();
    return { dataFolder: "", databaseUrl: url, leave };
  }) as Place & { databaseUrl: string };

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
