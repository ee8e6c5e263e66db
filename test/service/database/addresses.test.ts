import { expect, it } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { isUnavailable } from "../../../src/service/database/sql-state.js";
import { runAt } from "../support/database.js";
import { missing, openProxy, startPostgres, type TcpProxy } from "../support/postgres.js";
import { until } from "../support/service.js";

type Server = Awaited<ReturnType<typeof startPostgres>>;

const open = (server: Server, hosts: readonly string[]): Promise<Database> =>
  openDatabase({ databaseUrl: server.url.replace(/(?<=@)[^/]+/, hosts.join()), dataFolder: "" });
const hostOf = ({ url }: Server): string => new URL(url).host;
const store = (database: Database) =>
  database.write([{ name: "store", text: "DELETE FROM service_state WHERE name = 'stored'", values: [] }]);
const isAway = async (database: Database): Promise<boolean> =>
  store(database).then(
    () => false,
    (error) => isUnavailable(error),
  );

/** A connection that was open when its address went may be taken once more. */
const works = (database: Database) => until(async () => !(await isAway(database)));

it("is asked through those addresses that answer, and through one again that answers again", async () => {
  const server = await startPostgres();
  const [first, second] = (await Promise.all([0, 1].map(() => openProxy(hostOf(server))))) as [TcpProxy, TcpProxy];
  const database = await open(server, [first.host, second.host]);
  await works(database);
  await first.close();
  await works(database);
  await second.close();
  await until(() => isAway(database));
  await first.open();
  await works(database);
  await second.open();
  await first.close();
  await works(database);
  // The one that failed is looked for, also where another one answers.
  await first.open();
  await until(() => first.connections() > 0);
  await database.close();
  await Promise.all([first.close(), second.close(), server.stop()]);
});

// By pg_basebackup, which an installed server brings.
it.skipIf(missing)("is written to at the primary alone, whichever of its servers that is", async () => {
  const primary = await startPostgres({ isInstalled: true });
  const standby = await startPostgres({ isInstalled: true, standbyOf: primary.url });
  const database = await open(primary, [hostOf(standby), hostOf(primary)]);
  const isPrimary = async () =>
    (await database.query("SELECT NOT pg_is_in_recovery() AS primary, inet_server_port() AS port"))[0];
  expect(await isPrimary()).toEqual({ primary: true, port: Number(new URL(primary.url).port) });
  await store(database);
  await primary.halt();
  await until(() => isAway(database));
  // It does not wait: a statement that lasts may be in the way of what the standby still has to redo.
  await runAt(standby.url, "SELECT pg_promote(wait => FALSE)");
  await works(database);
  expect(await isPrimary()).toEqual({ primary: true, port: Number(new URL(standby.url).port) });
  await database.close();
  await Promise.all([primary.stop(), standby.stop()]);
});
