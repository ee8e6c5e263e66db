import { setTimeout as sleep } from "node:timers/promises";

/** The five-character SQLSTATE of a PostgreSQL error, or the code of a socket error. */
export const errorCode = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

/** 40001 serialization failure (usual on CockroachDB and YugabyteDB), 40P01 deadlock: run the transaction again. */
const REPEATABLE = /^(40001|40P01)$/;

/** May the role, or the database itself, only read? */
export const isReadOnly = (error: unknown): boolean => /^(42501|25006)$/.test(errorCode(error));

/** What an error says, without what is stored: of data that the database refuses, only where. */
export const tellError = (error: unknown): string => {
  const { message, table, column, constraint } = Object(error) as Record<string, string | undefined>;
  if (!/^2[23]/.test(errorCode(error))) return String(message);
  const place = [table, column, constraint].filter(Boolean).join(" ");
  return `the database refuses it: SQLSTATE ${errorCode(error)}${place && `, ${place}`}`;
};

/**
 * What may be wrong with a database that is out of reach: by the code of an error, and its text behind it, since pg gives some no code; and how
 * it is told. 25P03 and 22012 are of a transaction out of its time, class 53 is of resources (PostgreSQL Appendix A); what is no SQLSTATE is of
 * sockets and DNS. A file that is not there has the code of such a socket.
 */
const FAULTS = {
  lock: [/^55P03/, "somebody holds a lock on its tables"],
  slow: [/^(57014|25P03|22012)|^ Query read timeout/, "it takes too long"],
  password: [/^28/, "it does not take the user and the password of DATABASE_URL"],
  "read only": [/^25006/, "it only reads, as a standby does: connect to the primary"],
  disk: [/^(53100|ENOSPC)/, "its disk is full"],
  restart: [/^57P0/, "it restarts"],
  connections: [/^53|^ timeout exceeded when trying to connect/, "it has no connection left"],
  connection: [
    /^(08|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT connect )|^ (Connection terminated|Client .+ is not queryable)/,
    "it cannot be reached",
  ],
} as const;
export type Fault = keyof typeof FAULTS;

const find = (error: unknown): Fault | undefined => {
  const told = `${errorCode(error)} ${(error as Error)?.message}`;
  return (Object.keys(FAULTS) as Fault[]).find((name) => FAULTS[name][0].test(told));
};

/** Is the database out of reach for now, so that the same request may succeed later? */
export const isUnavailable = (error: unknown): boolean => find(error) !== undefined;

/** Has a statement or its transaction taken longer than it may? Less of it may be done in time. */
export const tookTooLong = (error: unknown): boolean => find(error) === "slow";

/** What an error of a database that is out of reach tells of. */
export const faultOf = (error: unknown): Fault => find(error) ?? "connection";

export const tellFault = (error: unknown): string => FAULTS[faultOf(error)][1];

/** Repetitions before an error of a transaction is believed; with the waits below about 2 s. */
const MAX_ATTEMPTS = 10;

/** Runs `attempt` again, after a short random wait, while it fails with an error that `repeatable` accepts. */
export const repeated = async <T>(
  attempt: () => Promise<T>,
  repeatable: (error: unknown) => boolean = (error) => REPEATABLE.test(errorCode(error)),
): Promise<T> => {
  for (let failures = 0; ; ) {
    try {
      return await attempt();
    } catch (error) {
      failures += 1;
      if (failures === MAX_ATTEMPTS || !repeatable(error)) throw error;
      await sleep(Math.random() * 20 * failures ** 1.5);
    }
  }
};
