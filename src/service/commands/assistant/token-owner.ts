import { digests } from "../../access/access.js";
import { listTokens, listWorkspaces, sha256 } from "../../access/token-store.js";
import { DEFAULT_WORKSPACE } from "../../base/exact-text.js";
import type { ServiceConfig } from "../../config/service-config.js";
import type { Query } from "../../database/database.js";

/** The workspace of an access token, as the service takes it: of the database, or of its environment. Nothing of another one. */
export const workspaceOf = async (
  query: Query,
  { accessToken, workspaces }: Pick<ServiceConfig, "accessToken" | "workspaces">,
  token: string,
): Promise<string | undefined> => {
  const digest = sha256(token);
  const stored = (await listTokens(query)).find((one) => one.digest === digest);
  if (stored !== undefined)
    return stored.kind === "access" && Date.now() < (stored.expiresAt ?? Number.POSITIVE_INFINITY)
      ? stored.workspace
      : undefined;
  const given = [{ name: DEFAULT_WORKSPACE, accessToken }, ...workspaces];
  const name = given.find((one) => digests(one.accessToken).includes(digest))?.name;
  return name !== undefined && (await listWorkspaces(query)).includes(name) ? name : undefined;
};
