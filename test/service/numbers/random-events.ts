/** Events at random, of some accounts and contacts, in the tables; with their figures. */
import { recordId } from "../../../src/service/base/exact-text.js";
import { viewOf } from "../../../src/service/base/params.js";
import type { Database } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { makeRecords } from "../../../src/service/ingest/store/records.js";
import { insertEvents, type NewEvent } from "../../../src/service/ingest/store/rows.js";
import { followSums } from "../support/follow-sums.js";

export const [HOUR, DAY] = [3_600_000, 86_400_000];
export const ZONE = "Pacific/Auckland";
export const NOW = Date.now();

let seed = 49;
const random = (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

export const EVENTS = Array.from({ length: 1_500 }, (_, at): NewEvent => {
  const contact = random(25);
  const account = contact % 6 === 0 ? undefined : `account-${contact % 6}`;
  // Some accounts are silent lately, some fall.
  const ago = account === "account-1" ? 8 + random(50) : account === "account-2" ? random(60) : random(30) ** 1.2;
  const isView = random(3) > 0;
  const params = {
    ...(account !== undefined && { account_uid: account }),
    ...(isView && { visit_url: `https://${["a", "b"][random(2)]}.example/${random(4)}` }),
    ...(isView && random(4) === 0 && { referrer: "https://search.example/" }),
  };
  return {
    ...{ workspace: "default", contactUid: `contact-${contact}`, accountUid: account, stamp: undefined },
    ...{ eventUid: isView ? "pageview" : `event-${random(11)}`, params: JSON.stringify(params), occurredAt: undefined },
    ...viewOf(isView ? "pageview" : "", params),
    ...{ receivedAt: Math.round(NOW - 2 * HOUR - ago * DAY), ...(at % 10 === 0 && { originId: crypto.randomUUID() }) },
  };
});

export const idOf = (kind: "account" | "contact", uid: string) => recordId(kind, uid);
/** How often each key is that of one of them. */
export const count = <T>(all: readonly T[], key: (one: T) => string | undefined): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const one of all) {
    const of = key(one);
    if (of !== undefined) counts[of] = (counts[of] ?? 0) + 1;
  }
  return counts;
};
/** Stores them, with their records and their sums. */
export const storeEvents = async (database: Database): Promise<void> => {
  const sorted = [...EVENTS].sort((a, b) => a.receivedAt - b.receivedAt);
  const ids = sorted.map(({ receivedAt, originId }, at) =>
    idAt(originId === undefined ? receivedAt : NOW - HOUR).replace(/.{12}$/, `${at}`.padStart(12, "0")),
  );
  await database.write(insertEvents(ids, sorted));
  for (const { text, values } of makeRecords(EVENTS)) await database.query(text, values);
  await database.query("UPDATE accounts SET data = $2 WHERE id = $1", [
    ...[idOf("account", "account-3"), JSON.stringify({ name: "Zebra & Sons" })],
  ]);
  await database.query("INSERT INTO workspaces (name, created_at, zone) VALUES ('default', 0, $1)", [ZONE]);
  await followSums(database);
};
