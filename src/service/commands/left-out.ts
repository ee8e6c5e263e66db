import { Argument } from "commander";
import { recordId } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import type { LeftOut } from "../days/counted-place.js";
import { leaveOut } from "../days/leave-out.js";
import { HttpError } from "../http/error-answers.js";
import type { Commands } from "./context.js";

export const addLeftOutCommands = ({ program, workspace, use, say }: Commands): void => {
  const commands = program
    .command("left-out")
    .description("leaves one's own accounts and contacts out of all figures, afterwards too");
  const change = (name: string, description: string, isLeftOut: boolean) =>
    commands
      .command(name)
      .description(description)
      .addArgument(new Argument("<kind>", "what it is").choices(["account", "contact"]))
      .argument("<uid>", "of the account or the contact")
      .addOption(workspace())
      .action((kind: LeftOut["kind"], uid: string, { workspace }: { workspace: string }) =>
        use(async (database) => {
          const id = recordId(kind, uid, workspace);
          await leaveOut(database, { workspace, kind, id }, isLeftOut).catch((error) => {
            if (!(error instanceof HttpError)) throw error;
            throw new StartError(`there is no ${kind} ${JSON.stringify(uid)} in the workspace ${workspace}`);
          });
          say(
            `the ${kind} ${JSON.stringify(uid)} ${isLeftOut ? "counts nowhere" : "counts again"}; the figures follow in a moment`,
          );
        }),
      );
  change("add", "leaves one out", true);
  change("remove", "counts one again", false);
};
