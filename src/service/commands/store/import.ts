import { basename } from "node:path";
import { findMember } from "../../base/json-text.js";
import { StartError } from "../../base/start-error.js";
import type { Database } from "../../database/database.js";
import { idOf, type Table, type Told } from "../../person/traits.js";
import { exportRows } from "../../records/export/export-page.js";
import { jsonLine } from "../../records/export/exported.js";
import { type Line as EventLine, eventOf, type ImportOptions, importEvents } from "./import-events.js";
import { check, read } from "./import-lines.js";
import { storeEvents } from "./store-events.js";
import { LINES, storeRecords } from "./store-records.js";

/**
 * Stores events, or makes or changes records, by the lines of a file, whose name begins with what they are. All lines
 * are checked before the first one is stored.
 *
 * @throws StartError that names the line that is wrong
 */
export const importFile = async (database: Database, options: ImportOptions) => {
  const { workspace, file, say, skipWrong } = options;
  const table = ([...Object.keys(LINES), "events"] as (Table | "events")[]).find((name) =>
    basename(file).startsWith(name),
  );
  if (table === undefined)
    throw new StartError(
      `the name of ${file} must begin with events, accounts, contacts or users, which says what it holds`,
    );
  if (table === "events") return { table, lines: await importEvents(database, options) };
  const seen = new Map<string, number>();
  const more = ({ line, number }: { line: unknown; number: number }): string | undefined => {
    const id = idOf(table, workspace, line as Told);
    if (seen.has(id)) return `it is of the same record as line ${seen.get(id)}`;
    seen.set(id, number);
    return undefined;
  };
  const leaveOut = skipWrong ? say : undefined;
  const { lines, wrong } = await check(file, { schema: LINES[table], more, leaveOut });
  const right = async function* () {
    for await (const { line, number } of read(file)) if (!wrong.has(number)) yield line as Told;
  };
  const erased = await storeRecords(database, right(), { table, workspace });
  if (erased > 0) say(`left out ${erased} contacts that were erased; PUT /v2/contacts makes one anew`);
  return { lines: lines - erased, table };
};

/**
 * Copies the records and events of a workspace into another one of the same database; what is there of them already stays as it is, so a
 * copy that broke off is begun anew. Resolves to the numbers.
 */
export const copyWorkspace = async (
  database: Database,
  { from, to, say }: { from: string; to: string; say(line: string): void },
): Promise<{ events: number; records: number }> => {
  let records = 0;
  for (const table of Object.keys(LINES) as Table[]) {
    const lines = async function* () {
      for await (const row of exportRows(database.query, { table, workspace: from })) {
        // The id is of its workspace.
        const { id, ...line } = JSON.parse(jsonLine(row));
        records += 1;
        yield line as Told;
      }
    };
    const erased = await storeRecords(database, lines(), { table, workspace: to });
    records -= erased;
  }
  const events = async function* () {
    for await (const row of exportRows(database.query, { table: "events", workspace: from })) {
      const text = jsonLine(row);
      yield eventOf(JSON.parse(text) as EventLine, { workspace: to, params: findMember(text, "params")!.text });
    }
  };
  return { events: await storeEvents(database, events(), { workspace: to, lines: undefined, say }), records };
};
