import type { Query } from "../database/database.js";
import { newIds } from "../database/event-id.js";

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

/** Writes that something begins; resolves to the id of the line. */
export const beginDeed = async (
  query: Query,
  { workspace, token, what, subject }: { workspace: string; token: string; what: Deed; subject: string },
): Promise<string> => {
  const [id] = newIds(1) as [string];
  await query("INSERT INTO audit (id, workspace, at, token, what, subject) VALUES ($1, $2, $3, $4, $5, $6)", [
    ...[id, workspace, Date.now(), token, what],
    subject,
  ]);
  return id;
};

/** Writes that it has ended, and how many events it concerned. */
export const endDeed = async (query: Query, id: string, events: number): Promise<void> => {
  await query("UPDATE audit SET events = $2 WHERE id = $1", [id, events]);
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
