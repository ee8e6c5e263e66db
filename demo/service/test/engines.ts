import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe } from "vitest";
import { dataFolder } from "../../../test/support/data-folder.js";
import { missing, startPostgres } from "./postgres-server.js";

/** Where a database is: the part of the service's configuration that says so. */
export interface Place {
  dataFolder: string;
  databaseUrl: string | undefined;
}

/**
 * Runs the same tests over the embedded PostgreSQL and over a server; each gets an empty place of its own.
 *
 * @param cases declares tests; the place is there from `beforeAll` on
 * @param opensOften `true` of cases that open the database again and again, which takes PGlite seconds each time: PGlite is
 *   PostgreSQL itself, so it takes its turn only where there is no server. Default `false`.
 */
export const onBothEngines = (cases: (place: () => Place) => void, { opensOften = false } = {}): void => {
  if (!opensOften || missing !== undefined)
    describe("PGlite", () => {
      let folder: string;
      beforeAll(async () => {
        folder = await dataFolder();
      });
      afterAll(() => rm(folder, { recursive: true, force: true }));
      cases(() => ({ dataFolder: folder, databaseUrl: undefined }));
    });
  describe.skipIf(missing !== undefined)(`PostgreSQL${missing ? `: ${missing}` : ""}`, () => {
    let server: Awaited<ReturnType<typeof startPostgres>>;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.stop());
    cases(() => ({ dataFolder: "", databaseUrl: server.url }));
  });
};
