import { Compile } from "typebox/compile";
import { parseJson } from "../../base/exact-text.js";
import type { ServiceConfig } from "../../config/service-config.js";
import type { Database } from "../../database/database.js";
import { continueIds } from "../../database/event-id.js";
import { HttpError } from "../../http/errors.js";
import { refusal } from "../../ingest/identity.js";
import { judgeEvent } from "../../ingest/judge.js";
import { EventInput } from "../../ingest/schemas.js";
import type { NewEvent } from "../../ingest/store/rows.js";
import { createEventStore } from "../../ingest/store/store.js";
import { deleteLetters } from "../../records/deletion/letters.js";
import { exportRows } from "../../records/export/export-page.js";
import type { Exported } from "../../records/export/exported.js";
import { readState } from "./state.js";

const EVENT = Compile(EventInput);

/**
 * Judges dead letters again, as they were received; a letter whose event is stored is deleted. Its id is that of the event's origin,
 * so that it is stored once, however often this breaks off.
 *
 * @param mayRepeat also those without a stamp, whose event may have been sent anew
 * @returns what became of them, in a line
 */
export const sendDeadLetters = async (
  database: Database,
  config: ServiceConfig,
  { workspace, mayRepeat }: { workspace: string; mayRepeat: boolean },
): Promise<string> => {
  await continueIds(database.query, workspace);
  const store = createEventStore(database, await readState(database));
  const counts = { sent: 0, refused: 0, unstamped: 0, lacking: 0 };
  for await (const letter of exportRows(database.query, { table: "dead_letters", workspace })) {
    const event = judge(letter, workspace, config);
    if (event === "lacking" || event === "refused") counts[event] += 1;
    else if (event.stamp === undefined && !mayRepeat) counts.unstamped += 1;
    else {
      await store.add(event);
      await deleteLetters(database.query, [letter.id]);
      counts.sent += 1;
    }
  }
  const { sent, refused, unstamped, lacking } = counts;
  return (
    `stored ${sent} events of dead letters; refused again: ${refused}; without their body: ${lacking}; ` +
    `without a stamp: ${unstamped}${unstamped > 0 ? " (--may-repeat sends these, too)" : ""}`
  );
};

const judge = (letter: Exported, workspace: string, config: ServiceConfig): NewEvent | "lacking" | "refused" => {
  const text = String(letter.body);
  if (letter.status === 413 || text === "") return "lacking";
  const body = parseJson(text);
  if (!EVENT.Check(body) || Buffer.byteLength(text) > config.maxEventBytes) return "refused";
  const isOfPage = letter.of_page === true;
  const proven = letter.proven as boolean | null;
  const prove = (): boolean | undefined => {
    if (config.identity === "require" && proven !== true) throw refusal("did not hold");
    return proven ?? undefined;
  };
  try {
    const sender = { workspace, address: undefined, isOfPage, receivedAt: Number(letter.received_at) };
    return { ...judgeEvent(body, text, sender, prove).event, originId: String(letter.id) };
  } catch (error) {
    if (error instanceof HttpError) return "refused";
    throw error;
  }
};
