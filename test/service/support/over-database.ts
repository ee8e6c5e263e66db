import { afterAll, beforeAll, describe, inject } from "vitest";
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

/**
 * Runs tests over an empty database of their own: that of a data folder, or the one that is given.
 *
 * @param cases declares tests; the place is there from `beforeAll` on
 * @param ofOneNode `true` of cases about what a node has for itself, such as its clock: left out where the database that is
 *   given is spread over several. Default `false`.
 * @param isGiven `true` of cases about what a given server alone has: several services, roles. Default `false`.
 */
export const overDatabase = (
  cases: (place: () => Place) => void,
  { ofOneNode = false, isGiven = false } = {},
): void => {
  if (ofOneNode && inject("isSpread")) return void describe.skip("a database that is spread has several clocks");
  const place = isGiven ? useServer() : usePlace();
  cases(() => place);
};
