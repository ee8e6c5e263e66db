import { Option } from "commander";
import type { Commands } from "./commands.js";

/** The command by which an assistant asks. */
export const addMcpCommand = ({ program, config, say }: Commands): void => {
  program
    .command("mcp")
    .description(
      "lets an assistant ask, by the Model Context Protocol over stdin and stdout: which events there are, and the questions of docs/service/sql.md",
    )
    .addOption(
      new Option(
        "--token <token>",
        "an access token, of whose workspace alone is told; others on this machine see an argument, and not the variable",
      )
        .env("MCP_ACCESS_TOKEN")
        .makeOptionMandatory(),
    )
    .action(async ({ token }: { token: string }) => {
      // The protocol's library is loaded for this command alone.
      const { serveAssistant } = await import("./assistant.js");
      await serveAssistant(config, token, say);
    });
};
