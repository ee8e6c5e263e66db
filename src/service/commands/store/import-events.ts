import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { filledText, UUID } from "../../base/exact-text.js";
import { findMember } from "../../base/json-text.js";
import { viewOf } from "../../base/page-of.js";
import { TIME } from "../../base/times.js";
import type { Database } from "../../database/database.js";
import { type NewEvent, stampOf } from "../../ingest/store/rows.js";
import type { Reading } from "../../person/mapping.js";
import { type Change, check, read } from "./import-lines.js";
import { storeEvents } from "./store-events.js";

const Uid = Type.String({ minLength: 1 });
const Time = Type.Integer(TIME);
const Schema = Type.Object(
  {
    id: Type.String({ pattern: UUID.source }),
    received_at: Time,
    occurred_at: Type.Optional(Type.Union([Time, Type.Null()])),
    contact_uid: Uid,
    account_uid: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    event_uid: Uid,
    params: Type.Object({}, { additionalProperties: true }),
    proven: Type.Optional(Type.Boolean()),
    stamped: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
const LINE = Compile(Schema);
export type Line = Static<typeof Schema>;

export interface ImportOptions {
  workspace: string;
  file: string;
  say(line: string): void;
  /** A file that says where the members of an event are in a line, see `mapping.ts`; without it they are those of an export. */
  map?: string | undefined;
  /** With `map`: are visitors taken, too, whom nobody has named? */
  anonymous?: boolean | undefined;
  /** Are wrong lines left out, instead of ending it? */
  skipWrong?: boolean | undefined;
}

/**
 * Stores the events of an export under new ids: what is there already, from an earlier import or as the origin of the
 * export, stays as it is. So an import that broke off is simply begun anew.
 *
 * @param reading of a file that is none of `export`
 * @throws StartError that names the line that is wrong; nothing is stored then
 */
export const importEvents = async (
  database: Database,
  { workspace, file, say, skipWrong = false }: ImportOptions,
  reading?: Reading,
): Promise<number> => {
  const leftOut = new Map<string, number>();
  const tell = (why: string) => leftOut.set(why, (leftOut.get(why) ?? 0) + 1);
  const change = (tell: (why: string) => void) => (reading === undefined ? undefined : changeBy(reading, tell));
  let withoutAccount = 0;
  const more = ({ line }: { line: unknown }) => {
    if (accountOf(line as Line) === undefined) withoutAccount += 1;
    return undefined;
  };
  const checked = await check(file, {
    schema: LINE,
    change: change(tell),
    more,
    leaveOut: skipWrong ? say : undefined,
  });
  const { lines, wrong } = checked;
  for (const [why, count] of leftOut) say(`left out ${count} lines ${why}`);
  if (withoutAccount > 0) say(`${withoutAccount} of ${lines} events have no account`);
  const events = async function* () {
    for await (const { line, text, number } of read(
      file,
      change(() => {}),
    ))
      if (!wrong.has(number)) yield eventOf(line as Line, { workspace, params: findMember(text, "params")!.text });
  };
  return storeEvents(database, events(), { workspace, lines, say });
};

/** Makes of each line one of an export. @param leftOut hears why one is none */
const changeBy =
  ({ event }: Reading, leftOut: (why: string) => void): Change =>
  ({ text, number }) => {
    const mapped = event(text.trim());
    if (typeof mapped === "string") return void leftOut(mapped);
    return { line: mapped.line, number, text: `{"params":${mapped.params}}` };
  };

/** As over the interface, the account is a member of the params; `export` writes it beside them, too. */
const accountOf = ({ account_uid, params }: Line): string | undefined =>
  filledText(account_uid) ?? filledText((params as Record<string, unknown>).account_uid);

/** The event that a line of an export tells of. */
export const eventOf = (line: Line, { workspace, params }: Pick<NewEvent, "workspace" | "params">): NewEvent => ({
  workspace,
  params,
  contactUid: line.contact_uid,
  accountUid: accountOf(line),
  eventUid: line.event_uid,
  stamp: stampOf(line.params, line.stamped === false),
  ...viewOf(line.event_uid, line.params),
  receivedAt: line.received_at,
  occurredAt: line.occurred_at ?? undefined,
  originId: line.id,
  isProven: line.proven,
});
