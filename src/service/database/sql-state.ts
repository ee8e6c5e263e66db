import { setTimeout as sleep } from "node:timers/promises";

/** The five-character SQLSTATE of a PostgreSQL error, or the code of a socket error. */
export const errorCode = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

/** 40001 serialization failure (usual on CockroachDB and YugabyteDB), 40P01 deadlock: run the transaction again. */
const REPEATABLE = /^(40001|40P01)$/;

/**
 * Class 08 connection, 28 a user or password that is not taken (any more), 53 resources, 57P0x shutdown, 57014, 55P03 and 25P03 what took too long, 25006 a database that only
 * reads, as a standby (PostgreSQL Appendix A), 22012 a transaction out of its time; the rest are codes of sockets and DNS.
 */
const UNAVAILABLE =
  /^(08|28|53|ENOSPC|57P0|57014|55P03|25P03|25006|22012|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;

/** Is the database out of reach for now, so that the same request may succeed later? */
export const isUnavailable = (error: unknown): boolean =>
  UNAVAILABLE.test(errorCode(error)) ||
  // A socket that is not there (yet): of files the same code means something else.
  (errorCode(error) === "ENOENT" && (error as NodeJS.ErrnoException).syscall === "connect") ||
  // pg gives these no code.
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client .+ is not queryable)/.test(
    String((error as Error)?.message),
  );

/** May the role, or the database itself, only read? */
export const isReadOnly = (error: unknown): boolean => /^(42501|25006)$/.test(errorCode(error));

/** Has a statement or its transaction taken longer than it may, on a database that is there? Less of it may be done in time. */
export const tookTooLong = (error: unknown): boolean => /^(57014|25P03|22012)/.test(errorCode(error));

/** What an error says, without what is stored: of data that the database refuses, only where. */
export const tellError = (error: unknown): string => {
  const { message, table, column, constraint } = Object(error) as Record<string, string | undefined>;
  if (!/^2[23]/.test(errorCode(error))) return String(message);
  const place = [table, column, constraint].filter(Boolean).join(" ");
  return `the database refuses it: SQLSTATE ${errorCode(error)}${place && `, ${place}`}`;
};

/** What may be wrong with a database that is out of reach, and how it is told. */
export const FAULTS = {
  lock: "somebody holds a lock on its tables",
  slow: "it takes too long",
  password: "it does not take the user and the password of DATABASE_URL",
  "read only": "it only reads, as a standby does: connect to the primary",
  disk: "its disk is full",
  restart: "it restarts",
  connections: "it has no connection left",
  connection: "it cannot be reached",
} as const;
export type Fault = keyof typeof FAULTS;

/** By the code of an error, and its text behind it. */
const FAULT_OF: readonly [RegExp, Fault][] = [
  [/^55P03/, "lock"],
  [/^(57014|25P03|22012)|^ Query read timeout/, "slow"],
  [/^25006/, "read only"],
  [/^28/, "password"],
  [/^(53100|ENOSPC)/, "disk"],
  [/^53|^ timeout exceeded when trying to connect/, "connections"],
  [/^57P/, "restart"],
];

/** Which of these an error of a database that is out of reach tells of. */
export const faultOf = (error: unknown): Fault => {
  const told = `${errorCode(error)} ${(error as Error)?.message}`;
  return FAULT_OF.find(([pattern]) => pattern.test(told))?.[1] ?? "connection";
};

export const tellFault = (error: unknown): string => FAULTS[faultOf(error)];

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
