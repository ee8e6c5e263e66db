import type { Query } from "../database/database.js";

/** What was done to the data of one person. */
export type Deed = "read" | "erase" | "anonymise";

/** A line of the audit log as it is shown. */
export interface AuditLine {
  at: string;
  workspace: string;
  /** Name of the token, or of what else has done it. */
  token: string;
  what: string;
  /** Stands for the contact; the same for the same one. */
  subject: string;
  /** How many events; null where it has not come to its end. */
  events: number | null;
}

/** Writes that something begins, with each of some people. @param ids of the lines */
export const beginDeeds = async (
  query: Query,
  { workspace, token, what, at }: { workspace: string; token: string; what: Deed; at: number },
  { ids, subjects }: { ids: readonly string[]; subjects: readonly string[] },
): Promise<void> => {
  await query(
    `INSERT INTO audit (id, workspace, at, token, what, subject)
     SELECT id, $3, $4, $5, $6, subject FROM unnest($1::uuid[], $2::uuid[]) AS line (id, subject)`,
    [ids, subjects, workspace, at, token, what],
  );
};

/** Writes what was done in a database of before, with the ids of its lines there; those that are here stay as they are. */
export const copyDeeds = async (
  query: Query,
  lines: readonly { id: string; workspace: string; mark: string; erased_at: number }[],
): Promise<void> => {
  await query(
    `INSERT INTO audit (id, workspace, at, token, what, subject)
     SELECT id, workspace, at, 'restore', 'erase', subject
     FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::bigint[]) AS line (id, workspace, subject, at)
     ON CONFLICT (id) DO NOTHING`,
    [
      lines.map(({ id }) => id),
      lines.map(({ workspace }) => workspace),
      lines.map(({ mark }) => mark),
      lines.map(({ erased_at }) => erased_at),
    ],
  );
};

/** Writes that it has ended, and how many events of each it concerned. */
export const endDeeds = async (query: Query, ids: readonly string[], events: readonly number[]): Promise<void> => {
  await query(
    `UPDATE audit SET events = line.events FROM unnest($1::uuid[], $2::bigint[]) AS line (id, events)
     WHERE audit.id = line.id`,
    [ids, events],
  );
};

/** The log of a workspace, oldest line first. */
export const listDeeds = async (query: Query, workspace: string): Promise<AuditLine[]> => {
  const rows = await query<Record<string, unknown>>(
    "SELECT at, workspace, token, what, subject, events FROM audit WHERE workspace = $1 ORDER BY id",
    [workspace],
  );
  return rows.map(({ at, workspace, token, what, subject, events }) => ({
    at: new Date(Number(at)).toISOString(),
    ...({ workspace, token, what, subject } as Pick<AuditLine, "workspace" | "token" | "what" | "subject">),
    events: events === null ? null : Number(events),
  }));
};
