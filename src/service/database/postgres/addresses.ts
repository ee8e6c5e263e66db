import type pg from "pg";
import { StartError } from "../../base/start-error.js";
import { NO_TABLES } from "../migrate.js";
import { isUnavailable } from "../sql-state.js";
import { type Connections, type Options, openConnections, TakeError } from "./connections.js";
import { TABLES } from "./spread-tables.js";

/*
 * A database may have several addresses: those of a cluster's nodes, or of a server and its standbys. What is asked goes to one
 * that answers, is no standby, and has the tables, as a node has none before they are spread.
 */

export interface Addresses {
  /**
   * Calls `work` with a connection: to a node where it is named and answers, or else to the first address that answers. Once
   * `work` has begun, no other address is tried: nobody knows what it has done.
   */
  use<T>(work: (client: pg.PoolClient) => Promise<T>, node?: number): Promise<T>;
  /** Asks each address whether it answers, and which node it is. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** Asked of each new connection where there are several addresses. Tables are spread one after another, this one last. */
const ASK = `SELECT pg_is_in_recovery() AS standby, to_regclass('${Object.keys(TABLES).at(-1)}') IS NULL AS bare`;

const refuseOthers = async (client: pg.ClientBase): Promise<void> => {
  const { standby, bare } = (await client.query<{ standby: boolean; bare: boolean }>(ASK)).rows[0]!;
  if (standby) throw Object.assign(new Error("the server is a standby"), { code: "25006" });
  if (bare) throw new StartError(NO_TABLES);
};

/** Which node of a cluster answers; nothing where there is no cluster. The coordinator is 0. */
export const askNode = async (client: pg.ClientBase): Promise<number | undefined> => {
  const ask = async (sql: string) => (await client.query<{ value: unknown }>(sql)).rows[0]?.value;
  if ((await ask("SELECT to_regclass('pg_dist_local_group') AS value")) === null) return undefined;
  return Number((await ask("SELECT groupid AS value FROM pg_dist_local_group")) ?? 0);
};

/** @param urls of one database; the first of them that answers is used where it does not matter */
export const openAddresses = (urls: readonly string[], options: Options): Addresses => {
  const begin = urls.length > 1 ? refuseOthers : undefined;
  const all = urls.map((connectionString): Connections & { node?: number | undefined } =>
    openConnections({ ...options, connectionString }, begin),
  );
  const inOrder = (node?: number) => {
    const right = node === undefined ? undefined : all.find((one) => one.node === node && one.answers());
    const rank = (one: (typeof all)[number]) => (one === right ? 0 : one.answers() ? 1 : 2);
    return all.length === 1 ? all : all.toSorted((a, b) => rank(a) - rank(b));
  };
  return {
    use: async (work, node) => {
      const causes: Error[] = [];
      for (const address of inOrder(node))
        try {
          return await address.use(work);
        } catch (error) {
          if (!(error instanceof TakeError)) throw error;
          causes.push(error.cause);
        }
      // Who is away may be back soon: said rather than what is wrong with another one.
      throw causes.find(isUnavailable) ?? causes[0]!;
    },
    look: async () => {
      const ask = async (address: (typeof all)[number]) => {
        address.node = await address.use(askNode);
      };
      // Those that do not answer are known by that.
      await Promise.allSettled(all.map(ask));
    },
    close: async () => {
      await Promise.all(all.map((address) => address.close()));
    },
  };
};
