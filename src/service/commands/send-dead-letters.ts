import Fastify from "fastify";
import type { Access } from "../access/access.js";
import { decorateWorkspace } from "../access/auth.js";
import type { ServiceConfig } from "../config/options.js";
import type { Database } from "../database/database.js";
import { continueIds } from "../database/event-id.js";
import { answerErrors, ErrorBody } from "../http/errors.js";
import { VALIDATION } from "../http/validation.js";
import { eventRoutes } from "../ingest/event-route.js";
import { EVENT_PATH, EventInput, Success } from "../ingest/schemas.js";
import { createEventStore } from "../ingest/store.js";
import { exportRows } from "../records/export-page.js";
import { readState } from "./state.js";

/**
 * Sends dead letters again, by the same way as events, without a network between; a letter whose event is stored is deleted.
 *
 * @param mayRepeat also those without a stamp, whose event may have been sent anew, or be stored twice where this breaks off
 * @returns what became of them, in a line
 */
export const sendDeadLetters = async (
  database: Database,
  config: ServiceConfig,
  { workspace, mayRepeat }: { workspace: string; mayRepeat: boolean },
): Promise<string> => {
  await continueIds(database.query, workspace);
  const app = Fastify(VALIDATION);
  decorateWorkspace(app);
  answerErrors(app, () => {});
  for (const schema of [ErrorBody, EventInput, Success]) app.addSchema(schema);
  const access: Access = {
    admin: () => undefined,
    hasAdmin: () => false,
    // Each has its kind for a token: what had no stamp gets none as that of a page, and keeps any as that of a server.
    tokens: (kind) => (token) => (token === kind ? workspace : undefined),
    workspaces: () => [workspace],
    load: async () => {},
  };
  const store = createEventStore(database, await readState(database));
  const limits = {
    maxEventBytes: config.maxEventBytes,
    addressQuota: 0,
    tokenQuota: 0,
    batch: "off" as const,
    gpc: "ignore" as const,
  };
  await app.register(
    eventRoutes(store, {
      ...limits,
      access,
      prove: () => undefined,
      tellIgnored: () => {},
      tellObeyed: () => {},
      tellRefused: () => {},
    }),
  );
  const counts = { sent: 0, refused: 0, unstamped: 0, lacking: 0 };
  for await (const { id, status, stamped, body } of exportRows(database.query, { table: "dead_letters", workspace })) {
    if (status === 413 || body === "") counts.lacking += 1;
    else if (!stamped && !mayRepeat) counts.unstamped += 1;
    else {
      const { statusCode } = await app.inject({
        method: "POST",
        url: `${EVENT_PATH}?api_token=${stamped ? "server" : "api"}`,
        headers: { "content-type": "application/json" },
        payload: String(body),
      });
      if (statusCode >= 500) throw new Error(`an event was answered with ${statusCode}: repeat the command`);
      if (statusCode === 200) await database.query("DELETE FROM dead_letters WHERE id = $1", [id]);
      counts[statusCode === 200 ? "sent" : "refused"] += 1;
    }
  }
  await app.close();
  const { sent, refused, unstamped, lacking } = counts;
  return (
    `stored ${sent} events of dead letters; refused again: ${refused}; without their body: ${lacking}; ` +
    `without a stamp: ${unstamped}${unstamped > 0 ? " (--may-repeat sends these, too)" : ""}`
  );
};
