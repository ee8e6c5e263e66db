import type { Database } from "./database.js";
import { countNaming, deleteContact, deleteNaming, deleteWorkspace, hasContact, similarContacts } from "./deletion.js";
import { StartError } from "./start-error.js";

interface WhichContact {
  uid: string;
  everywhere: boolean;
  say(line: string): void;
}

/** Deletes a contact, and says what of it is left, or who may have been meant. */
export const deleteContactCommand = async (
  database: Database,
  workspace: string,
  { uid, everywhere, say }: WhichContact,
): Promise<void> => {
  const quoted = JSON.stringify(uid);
  const others = (await similarContacts(database, workspace, uid)).map((one) => JSON.stringify(one));
  const note = others.length > 0 ? `; by case alone differ ${others.join(", ")}` : "";
  const isThere = await hasContact(database.query, workspace, uid);
  const events = await deleteContact(database, workspace, uid);
  const naming = await (everywhere ? deleteNaming : countNaming)(database, workspace, uid);
  if (!isThere && !(everywhere && naming > 0))
    throw new StartError(`there is no contact ${quoted} in the workspace ${workspace}${note}`);
  if (isThere) say(`deleted the contact ${quoted} and ${events} events${note}`);
  if (everywhere) say(`deleted ${naming} events of others that name it`);
  else if (naming > 0) say(`${naming} events name it in their params: repeat with --everywhere to delete these`);
};

export const deleteWorkspaceCommand = async (
  database: Database,
  name: string,
  say: (line: string) => void,
): Promise<void> => {
  const { events, records } = await deleteWorkspace(database, name);
  if (events + records === 0) throw new StartError(`there is no data of a workspace "${name}"`);
  say(`deleted the workspace "${name}": ${events} events, ${records} accounts, contacts and users`);
};
