import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { digest, filledText, isUuid } from "../../base/exact-text.js";
import { findMember } from "../../base/json-text.js";
import { viewOf } from "../../base/page-of.js";
import { TIME } from "../../base/times.js";
import type { Database } from "../../database/database.js";
import { type NewEvent, stampOf } from "../../ingest/store/rows.js";
import { check, read } from "./import-lines.js";
import { storeEvents } from "./store-events.js";

const Uid = Type.String({ minLength: 1 });
const Time = Type.Integer(TIME);
const Schema = Type.Object(
  {
    /** A UUID, as `export` writes it, or what another tool calls it by. */
    id: Uid,
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
  /** Are wrong lines left out, instead of ending it? */
  skipWrong?: boolean | undefined;
}

/**
 * Stores the events of an export under new ids: what is there already, from an earlier import or as the origin of the
 * export, stays as it is. So an import that broke off is simply begun anew.
 *
 * @throws StartError that names the line that is wrong; nothing is stored then
 */
export const importEvents = async (
  database: Database,
  { workspace, file, say, skipWrong = false }: ImportOptions,
): Promise<number> => {
  let withoutAccount = 0;
  const more = ({ line }: { line: unknown }) => {
    if (accountOf(line as Line) === undefined) withoutAccount += 1;
    return undefined;
  };
  const { lines, wrong } = await check(file, { schema: LINE, more, leaveOut: skipWrong ? say : undefined });
  if (withoutAccount > 0) say(`${withoutAccount} of ${lines} events have no account`);
  const events = async function* () {
    for await (const { line, text, number } of read(file))
      if (!wrong.has(number)) yield eventOf(line as Line, { workspace, params: findMember(text, "params")!.text });
  };
  return storeEvents(database, events(), { workspace, lines, say });
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
  originId: isUuid(line.id) ? line.id : digest(line.id),
  isProven: line.proven,
});
