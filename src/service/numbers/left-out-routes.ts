import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Static, Type } from "typebox";
import type { Database, Query } from "../database/database.js";
import { setZone } from "../days/counted-place.js";
import { leaveOut } from "../days/leave-out.js";
import { errors } from "../http/error-answers.js";
import { LeftOut, One } from "./number-schemas.js";
import { ask } from "./questions.js";

/** One's own accounts and contacts, which count nowhere; accounts first. */
export const leftOutOf = async (query: Query, workspace: string) => ({
  object: "numbers.left_out" as const,
  ...(await ask<Omit<Static<typeof LeftOut>, "object">>(query, "left-out", { workspace })),
});

/** `PUT` and `DELETE /v2/numbers/…/left-out`: who counts nowhere; `PUT /v2/numbers/time-zone`: in which days are counted. With the admin token. */
export const leftOutRoutes =
  (database: Database): FastifyPluginAsyncTypebox =>
  async (app) => {
    for (const kind of ["account", "contact"] as const)
      for (const method of ["PUT", "DELETE"] as const)
        app.route({
          method,
          url: `/v2/numbers/${kind}s/:id/left-out`,
          schema: {
            tags: ["admin"],
            security: [{ bearer: [] }],
            params: One,
            operationId: `${method === "PUT" ? "leaveOut" : "countAgain"}${kind === "account" ? "Account" : "Contact"}`,
            summary: method === "PUT" ? `Leave one's own ${kind} out of all figures` : `Count one ${kind} again`,
            response: { 200: LeftOut, ...errors(400, 401, 404, 405, 429, 500, 503) },
          },
          handler: async ({ params: { id }, workspace }) => {
            await leaveOut(database, { workspace, kind, id }, method === "PUT");
            return leftOutOf(database.query, workspace);
          },
        });
    app.put(
      "/v2/numbers/time-zone",
      {
        schema: {
          tags: ["admin"],
          security: [{ bearer: [] }],
          operationId: "setTimeZone",
          summary: "Give a workspace the time zone of its days, which are counted anew",
          body: Type.Object({ time_zone: Type.String({ description: "Such as `Europe/Berlin`" }) }),
          response: {
            200: Type.Object({ object: Type.Literal("numbers.time_zone"), time_zone: Type.String() }),
            ...errors(400, 401, 404, 405, 415, 429, 500, 503),
          },
        },
      },
      async ({ body: { time_zone }, workspace }) => {
        await setZone(database, workspace, time_zone);
        return { object: "numbers.time_zone" as const, time_zone };
      },
    );
  };
