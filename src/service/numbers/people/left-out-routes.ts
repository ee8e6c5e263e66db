import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Database } from "../../database/database.js";
import { errors } from "../../http/errors.js";
import { leaveOut, listLeftOut } from "./left-out.js";
import type { Kind } from "./names.js";
import { LeftOut, One } from "./people-schemas.js";

/** `PUT` and `DELETE /v2/numbers/…/left-out`: who counts nowhere. With the admin token. */
export const leftOutRoutes =
  (database: Database): FastifyPluginAsyncTypebox =>
  async (app) => {
    for (const kind of ["account", "contact"] satisfies Kind[])
      for (const method of ["PUT", "DELETE"] as const)
        app.route({
          method,
          url: `/v2/numbers/${kind}s/:id/left-out`,
          schema: {
            ...{ tags: ["admin"], security: [{ bearer: [] }], params: One },
            operationId: `${method === "PUT" ? "leaveOut" : "countAgain"}${kind === "account" ? "Account" : "Contact"}`,
            summary: method === "PUT" ? `Leave one's own ${kind} out of all figures` : `Count one ${kind} again`,
            response: { 200: LeftOut, ...errors(400, 401, 404, 405, 429, 500, 503) },
          },
          handler: async ({ params: { id }, workspace }) => {
            await leaveOut(database, { workspace, kind, id }, method === "PUT");
            return { object: "numbers.left_out" as const, data: await listLeftOut(database.query, workspace) };
          },
        });
  };
