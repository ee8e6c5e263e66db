import { chmodSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { Database, Query } from "../database.js";
import { readOnly } from "../database.js";

/*
 * The embedded database belongs to one process. While that runs, commands read through it: by a socket in the data
 * folder, which whoever may read the folder can use, and nobody else.
 */

interface Question {
  sql: string;
  parameters: unknown[];
}
type Answer = { rows: unknown[] } | { error: string };

const fileOf = (folder: string): string => join(folder, "service.socket");
/** Characters that the path of a socket may have (unix(7) and its like elsewhere). */
const MAX_PATH = 100;

/** Answers reading commands until the database is closed. Where no such socket can be made, it does nothing. */
export const serveReaders = (folder: string, database: Database): (() => void) => {
  const file = fileOf(folder);
  if (process.platform === "win32" || file.length > MAX_PATH) return () => {};
  rmSync(file, { force: true });
  const query = readOnly(database);
  const server = createServer(async (asked, response) => {
    const answer: Answer = await (json(asked) as Promise<Question>)
      .then(({ sql, parameters }) => query(sql, parameters))
      .then((rows) => ({ rows }))
      .catch((error: Error) => ({ error: error.message }));
    response.end(JSON.stringify(answer, (_, value) => (typeof value === "bigint" ? String(value) : value)));
  });
  server.on("error", () => {});
  server.listen(file, () => chmodSync(file, 0o600));
  return () => {
    server.close();
    server.closeAllConnections();
    rmSync(file, { force: true });
  };
};

/** Reads through the service that uses a folder; `undefined` where none runs. */
export const readThroughService = async (folder: string): Promise<Query | undefined> => {
  const ask = (question: Question): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = request({ socketPath: fileOf(folder), method: "POST" }, (response) =>
        json(response).then((answer) => resolve(answer as Answer), reject),
      );
      asked.on("error", reject);
      asked.end(JSON.stringify(question));
    });
  const query: Query = async <Row>(sql: string, parameters: unknown[] = []) => {
    const answer = await ask({ sql, parameters });
    if ("error" in answer) throw new Error(answer.error);
    return answer.rows as Row[];
  };
  return query("SELECT 1").then(
    () => query,
    () => undefined,
  );
};
