import { afterAll, beforeAll, describe, inject } from "vitest";
import { openPlace, openServer, type Place } from "./places.js";

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
  let place: Awaited<ReturnType<typeof openPlace>>;
  const openGiven = async () => {
    const { url, leave } = await openServer();
    return { dataFolder: "", databaseUrl: url, leave };
  };
  beforeAll(async () => {
    place = await (isGiven ? openGiven() : openPlace());
  });
  afterAll(() => place.leave());
  cases(() => ({ dataFolder: place.dataFolder, databaseUrl: place.databaseUrl }));
};
