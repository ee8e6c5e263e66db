import type { Static } from "typebox";
import type { Query } from "../../database/database.js";
import type { LeftOut } from "../number-schemas.js";
import { ask } from "../questions.js";

/** One's own accounts and contacts, which count nowhere; accounts first. */
export const listLeftOut = async (query: Query, workspace: string) =>
  (await ask<Pick<Static<typeof LeftOut>, "data">>(query, "left-out", { workspace })).data;
