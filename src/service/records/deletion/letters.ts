import { parseJson } from "../../base/exact-text.js";
import type { Database, Query } from "../../database/database.js";
import { type Exported, exportRows } from "../export-page.js";

/**
 * Deletes the dead letters in which a uid stands, and those of which not all can be searched: what is too large, or no text;
 * resolves to their number.
 */
export const deleteLettersNaming = async ({ query }: Database, workspace: string, uid: string): Promise<number> => {
  let deleted = 0;
  for await (const letter of exportRows(query, { table: "dead_letters", workspace })) {
    if (letter.status !== 413 && letter.body !== "" && !names(letter, uid)) continue;
    await query("DELETE FROM dead_letters WHERE id = $1", [letter.id]);
    deleted += 1;
  }
  return deleted;
};

/** The dead letters in which a uid stands. */
export async function* lettersNaming(query: Query, workspace: string, uid: string): AsyncGenerator<Exported> {
  for await (const letter of exportRows(query, { table: "dead_letters", workspace }))
    if (names(letter, uid)) yield letter;
}

const names = ({ body }: Exported, uid: string): boolean =>
  readings(String(body)).some((reading) => reading.includes(uid));

/** A text as it is, and without the escapes of JSON and of forms. */
const readings = (text: string): string[] => [
  text,
  text.replace(/\\(u[0-9a-f]{4}|.)/gis, (escaped) => String(parseJson(`"${escaped}"`) ?? escaped)),
  text
    .replaceAll("+", " ")
    .replace(/(%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8")),
];
