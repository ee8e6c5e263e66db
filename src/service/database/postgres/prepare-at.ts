import type pg from "pg";
import { StartError } from "../../base/start-error.js";
import { NO_TABLES, requireTables } from "../migrate.js";
import type { Alone } from "../run-migrations.js";
import { askNode } from "./addresses.js";
import { spreadNew } from "./spread-tables.js";

/** What an address is good for at the start. */
type Role = "maker" | "worker" | "standby";

const askRole = async (client: pg.ClientBase): Promise<Role> => {
  const { standby } = (await client.query<{ standby: boolean }>("SELECT pg_is_in_recovery() AS standby")).rows[0]!;
  if (standby) return "standby";
  return ((await askNode(client)) ?? 0) === 0 ? "maker" : "worker";
};

/** Makes the tables, and what they begin with. */
type Make = (database: Alone) => Promise<void>;

/**
 * Makes and fills the tables at the first address that may do so: in a cluster at its coordinator, for what another node makes
 * is on that node alone. Where only others answer, the tables must be there.
 *
 * @throws StartError when they are not
 */
export const prepareAt = async (urls: readonly string[], open: (url: string) => Alone, make: Make): Promise<void> => {
  const others: Partial<Record<Role, string>> = {};
  const failures: unknown[] = [];
  const at = async <T>(url: string, work: (database: Alone) => Promise<T>): Promise<T> => {
    const database = open(url);
    return work(database).finally(() => database.close());
  };
  for (const url of urls) {
    const role = await at(url, (database) => database.use(askRole)).catch((error) => void failures.push(error));
    if (role === "maker") return at(url, (database) => make(database).then(() => spreadNew(database)));
    if (role !== undefined) others[role] ??= url;
  }
  const { worker, standby } = others;
  if (worker !== undefined) return at(worker, requireTables).catch(nameCoordinator);
  if (failures.length > 0) throw failures[0];
  return at(standby!, make);
};

const nameCoordinator = (error: unknown): never => {
  if (!(error instanceof StartError)) throw error;
  const text = error.message === NO_TABLES ? "the database has no tables of the service" : error.message.split(":")[0];
  throw new StartError(
    `${text}, and no address of DATABASE_URL that answers is the coordinator of its cluster, which makes them: name the coordinator among them`,
  );
};
