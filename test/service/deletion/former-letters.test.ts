import { it } from "vitest";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { AT_ONCE } from "../support/bounds.js";
import { overDatabase } from "../support/over-database.js";
import { startService, until } from "../support/running-service.js";

overDatabase((place) => {
  it("empties the table of refused bodies at each start, and every hour of what a build before has written since", async () => {
    for (const _start of ["first", "second within the hour"]) {
      const database = await openDatabase(place());
      const { query } = database;
      /** As the build before writes them. */
      const write = (count: number) =>
        query(
          `INSERT INTO dead_letters (id, workspace, received_at, status, error, bytes, of_page, body)
           SELECT gen_random_uuid(), 'default', 0, 400, 'wrong', 1, true, 'body' FROM generate_series(1, $1::int)`,
          [count],
        );
      const untilEmpty = () => until(async () => (await query("SELECT 1 FROM dead_letters")).length === 0 || undefined);
      await write(5_001);
      const service = await startService({ ...place(), database, bounds: AT_ONCE });
      await untilEmpty();
      await write(1);
      await query("UPDATE service_state SET value = 0 WHERE name = 'due former letters'");
      await untilEmpty();
      await service.close();
    }
  });
});
