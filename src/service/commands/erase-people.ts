/** Contacts that are erased or anonymised at the command line, and what is said of it: what is gone, and what is left. */
import { readFile } from "node:fs/promises";
import { fileReason } from "../base/file-error.js";
import { StartError } from "../base/start-error.js";
import type { Database } from "../database/database.js";
import { COMMAND } from "../deletion/audit.js";
import { countEvents, deleteEvents } from "../deletion/chosen.js";
import { eraseContacts } from "../deletion/erasure.js";
import { placesOfArchives } from "../records/archives.js";
import { hasContact, similarContacts } from "../records/contacts.js";

export interface EraseArguments {
  everywhere?: true;
  workspace: string;
}

type Saying<T> = T & { say(line: string): void };

/** Erases a contact, and what else may be of it, or name it. @throws StartError where there is nothing of it */
export const eraseOne = async (
  database: Database,
  { workspace, uid, everywhere, say }: Saying<EraseArguments & { uid: string }>,
): Promise<void> => {
  const { query } = database;
  const quoted = JSON.stringify(uid);
  const others = (await similarContacts(database, workspace, uid)).map((one) => JSON.stringify(one));
  const note = others.length > 0 ? `; by case alone differ ${others.join(", ")}` : "";
  // No tombstone for a name that was only misspelt. But an archive may have whom the database has forgotten.
  const isThere = await hasContact(query, workspace, uid);
  const archives = await placesOfArchives(query, workspace);
  const erased =
    (isThere || archives.length > 0) &&
    (await eraseContacts(database, { workspace, uids: [uid], token: COMMAND, tell: say }));
  const naming = await (everywhere ? deleteEvents : countEvents)(database, workspace, { naming: uid });
  if (!erased && !(everywhere && naming > 0))
    throw new StartError(`there is no contact ${quoted} in the workspace ${workspace}${note}`);
  if (isThere && erased) say(`deleted the contact ${quoted} and ${erased.events} events${note}`);
  else if (erased) say(`there is no contact ${quoted} in the database${note}`);
  if (everywhere) say(`deleted ${naming} events of others that name it`);
  else if (naming > 0) say(`${naming} events name it in their params: repeat with --everywhere to delete these`);
  tellArchives(archives, say);
};

/** Deletes a contact, and keeps of its events the name, the day, and the params that `keep` names. @throws StartError where there is none */
export const anonymiseOne = async (
  database: Database,
  { workspace, uid, keep, say }: Saying<{ workspace: string; uid: string; keep: string[] }>,
): Promise<void> => {
  const quoted = JSON.stringify(uid);
  if (!(await hasContact(database.query, workspace, uid)))
    throw new StartError(`there is no contact ${quoted} in the workspace ${workspace}`);
  const asked = { workspace, uids: [uid], token: COMMAND, anonymise: keep, tell: say };
  const { events, archives } = await eraseContacts(database, asked);
  say(`deleted the contact ${quoted}, and put its ${events} events under one of chance`);
  tellArchives(archives, say);
};

/** What is in files is not gone yet. */
const tellArchives = (archives: readonly string[], say: (line: string) => void): void => {
  if (archives.length > 0) say(`done in the database; in ${archives.join(", ")} by the next run of archive`);
};

/** Contacts that are erased at a time. */
const CHUNK = 500;

/** Erases the contacts of a file, one uid a line. @throws StartError that says how far it has come */
export const eraseListed = async (
  database: Database,
  { workspace, file, say }: Saying<EraseArguments & { file: string }>,
): Promise<void> => {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new StartError(`${file} cannot be read: ${fileReason(error)}`);
  });
  const uids = [...new Set(text.split(/\r?\n/).filter(Boolean))];
  const sum = { contacts: 0, events: 0 };
  const archives = await placesOfArchives(database.query, workspace);
  const told = () => `erased ${sum.contacts} of ${uids.length} contacts, ${sum.events} events`;
  for (let from = 0; from < uids.length; from += CHUNK) {
    const chunk = uids.slice(from, from + CHUNK);
    const erased = await eraseContacts(database, { workspace, uids: chunk, token: COMMAND, tell: say }).catch(
      (error: Error) => {
        throw new StartError(`${told()}, then ${error.message}: repeat the command`);
      },
    );
    sum.contacts += chunk.length;
    sum.events += erased.events;
    if (sum.contacts % TELL_EVERY === 0) say(told());
  }
  say(told());
  tellArchives(archives, say);
};

/** Contacts between two lines of progress. */
const TELL_EVERY = 5_000;
