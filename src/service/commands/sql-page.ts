import { readFile } from "node:fs/promises";
import { ROOT_FOLDER } from "../config/root-folder.js";

/** A question of docs/service/sql.md, the one place where they stand. */
export interface Question {
  number: number;
  title: string;
  /** What the page says of it. */
  note: string;
  sql: string;
}

/** The questions of the page, in their order. */
export const readQuestions = async (): Promise<Question[]> => {
  const page = await readFile(new URL("docs/service/sql.md", ROOT_FOLDER), "utf8");
  return [...page.matchAll(/^## (\d+)\. (.+)\n([\s\S]*?)^```sql\n([\s\S]*?);\n```$/gm)].map(
    ([, number, title, note, sql]) => ({ number: Number(number), title: title!, note: note!.trim(), sql: sql! }),
  );
};
