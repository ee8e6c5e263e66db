import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import { handle } from "./first-party.js";

const app = new Hono();
app.all("/i/*", (context) => handle(context.req.raw, getConnInfo(context).remote.address));
serve({ fetch: app.fetch, port: Number(process.env.PORT) });
