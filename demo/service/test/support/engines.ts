import { afterAll, beforeAll, describe, inject } from "vitest";
import { GIVEN, openPlace, type Place } from "./places.js";
import { missing, startPostgres } from "./postgres-server.js";

/**
 * Runs the same tests over the embedded PostgreSQL and over a server, or over the one that is given; each gets an empty
 * place of its own.
 *
 * @param cases declares tests; the place is there from `beforeAll` on
 * @param opensOften `true` of cases that open the database again and again, which takes PGlite seconds each time: PGlite is
 *   PostgreSQL itself, so it takes its turn only where there is no server. Default `false`.
 * @param ofOneNode `true` of cases about what a node has for itself, such as its clock: left out where the database that is
 *   given is spread over several. Default `false`.
 */
export const onBothEngines = (
  cases: (place: () => Place) => void,
  { opensOften = false, ofOneNode = false } = {},
): void => {
  if (ofOneNode && inject("isSpread")) return void describe.skip("a database that is spread has several clocks");
  if (GIVEN !== undefined || !opensOften || missing !== undefined)
    describe(GIVEN === undefined ? "PGlite" : "the database of DATABASE_URL", () => {
      let place: Awaited<ReturnType<typeof openPlace>>;
      beforeAll(async () => {
        place = await openPlace();
      });
      afterAll(() => place.leave());
      cases(() => ({ dataFolder: place.dataFolder, databaseUrl: place.databaseUrl }));
    });
  describe.skipIf(GIVEN ?? missing)(`PostgreSQL${missing ? `: ${missing}` : ""}`, () => {
    let server: Awaited<ReturnType<typeof startPostgres>>;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.stop());
    cases(() => ({ dataFolder: "", databaseUrl: server.url }));
  });
};
