import { StartError } from "../config/start-error.js";
import type { Database } from "./database.js";
import { MIGRATIONS } from "./migrations.js";
import { errorCode, repeated } from "./sql-state.js";

/** What PostgreSQL answers to the later of two processes that make the same tables: a row of its catalogue is there already. */
const MADE_MEANWHILE = /^(23505|42P07|42710|40001|40P01|XX000)$/;

/** Makes what is missing, all or nothing. Several processes may do it at once: one does it, the others wait. */
export const migrate = (database: Database): Promise<void> =>
  repeated(
    async () => {
      const { isNew, missing } = await look(database);
      if (missing.length === 0) return;
      await database.transaction(async (query) => {
        if (isNew) await query("CREATE TABLE schema_migrations (name TEXT PRIMARY KEY)");
        for (const { name, statements } of missing) {
          // Whoever is second waits here, and looks anew.
          await query("INSERT INTO schema_migrations (name) VALUES ($1)", [name]);
          for (const statement of statements) await query(statement);
        }
      });
    },
    (error) => MADE_MEANWHILE.test(errorCode(error)),
  );

/** Looks which tables there are. @throws StartError when they are not those that this version makes or can go on from */
export const look = async ({ query }: Pick<Database, "query">) => {
  const [{ log, events }] = (await query<{ log: boolean; events: boolean }>(
    "SELECT to_regclass('schema_migrations') IS NOT NULL AS log, to_regclass('events') IS NOT NULL AS events",
  )) as [{ log: boolean; events: boolean }];
  const done = log ? await query<{ name: string }>("SELECT name FROM schema_migrations") : [];
  const other = done.find(({ name }) => !MIGRATIONS.some((known) => known.name === name))?.name;
  if ((!log && events) || /^\d{3}-/.test(other ?? ""))
    throw new StartError(
      "the database was made before 0.1.0: export it with the version that made it, and import that into a new one",
    );
  if (other !== undefined)
    throw new StartError(
      `the database has tables of the version ${other}, which this build does not know (it makes ${MIGRATIONS.at(-1)!.name}): start the build that made them, or a newer one`,
    );
  return { isNew: !log, missing: MIGRATIONS.filter(({ name }) => !done.some((one) => one.name === name)) };
};
