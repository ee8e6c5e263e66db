import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ROOT } from "../../support/launch.js";
import type { Place } from "./database.js";
import { SERVICE } from "./service-process.js";

/** What a tool answers: an object, or the text of an error. */
export type Answer = { note: string; rows: Record<string, unknown>[]; [member: string]: unknown } | string;

/** The protocol's own client, which starts `mcp` over a place as an assistant does. */
export const openAssistant = async (
  { dataFolder, databaseUrl }: Place,
  token: string,
  environment: Record<string, string> = {},
) => {
  const client = new Client({ name: "test", version: "1.0.0" });
  const where = databaseUrl === undefined ? ["TRACKLET_DATA", dataFolder] : ["DATABASE_URL", databaseUrl];
  const env = {
    PATH: process.env.PATH ?? "",
    MCP_ACCESS_TOKEN: token,
    ...environment,
    ...Object.fromEntries([where]),
  };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SERVICE, "mcp"],
    cwd: ROOT,
    env,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk) => (stderr += chunk));
  await client.connect(transport).catch((error) => {
    throw stderr === "" ? error : new Error(stderr);
  });
  return {
    client,
    call: async (name: string, given: Record<string, unknown> = {}): Promise<Answer> => {
      const { content, isError } = await client.callTool({ name, arguments: given });
      const { text } = (content as { text: string }[])[0]!;
      return isError ? text : JSON.parse(text);
    },
    close: () => client.close(),
  };
};
