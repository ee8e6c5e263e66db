import { randomUUID } from "node:crypto";
import { decodeText, filledText } from "../base/exact-text.js";
import { findMember } from "../base/json-text.js";
import { viewOf } from "../base/page-of.js";
import { wholeParams } from "../base/stamped-params.js";
import { DAY_MS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { newIds } from "../database/event-id.js";
import { makeRecords } from "../ingest/store/make-records.js";
import { insertEvents, type NewEvent } from "../ingest/store/rows.js";
import { tellDeleted } from "../records/deletion/notices.js";
import { inSteps, type Which } from "../records/deletion/steps.js";
import { markStale } from "../records/stale-hours.js";

/** Events in one transaction at most. */
const CHUNK = 500;

/** What is left of a person's events. */
export interface Kept {
  /** Of the contact that stands for it: of chance, and the same for all of its events. */
  contactUid: string;
  /** Members of the params. */
  params: readonly string[];
}

export const newAnonym = (params: readonly string[]): Kept => ({ contactUid: `anonymous-${randomUUID()}`, params });

/**
 * Puts events under another contact, with name, day (UTC) and some of the params alone, and deletes the old ones in the same
 * transactions: none is lost, none is there twice. Resolves to their number.
 */
export const anonymiseEvents = (database: Database, workspace: string, which: Which, kept: Kept): Promise<number> =>
  inSteps(database, workspace, async (query, id, { most }) => {
    const chunk = Math.min(most, CHUNK);
    const old = await query<Record<string, unknown>>(
      `SELECT id, received_at, occurred_at, event_uid, params, stamp, source, number FROM events WHERE ${which.condition} ORDER BY id LIMIT ${chunk}`,
      which.values,
    );
    if (old.length === 0) return { ids: [], isLast: true };
    const events = old.map((row) => anonymous(row, workspace, kept));
    const statements = [...makeRecords(events), ...insertEvents(newIds(events.length), events)];
    for (const { text, values } of statements) await query(text, values);
    const ids = old.map((row) => String(row.id));
    await deleteThese(query, which, ids);
    const times = old.map(({ received_at }) => Number(received_at));
    await markStale(query, workspace, times);
    await tellDeleted(query, workspace, { id, ids, reason: "erasure" });
    return { ids, isLast: old.length < chunk };
  });

const deleteThese = (query: Query, { condition, values }: Which, ids: string[]) =>
  query(`DELETE FROM events WHERE ${condition} AND id IN (SELECT unnest($${values.length + 1}::uuid[]))`, [
    ...values,
    ids,
  ]);

const anonymous = (row: Record<string, unknown>, workspace: string, { contactUid, params }: Kept): NewEvent => {
  const whole = wholeParams(row);
  const members = params.flatMap((name) => {
    const member = findMember(whole, name);
    return member === undefined ? [] : [`${JSON.stringify(name)}:${member.text}`];
  });
  const text = `{${members.join(",")}}`;
  const kept = JSON.parse(text);
  const eventUid = decodeText(String(row.event_uid));
  return {
    workspace,
    contactUid,
    accountUid: filledText(kept.account_uid),
    eventUid,
    params: text,
    stamp: undefined,
    ...viewOf(eventUid, kept),
    receivedAt: Math.floor(Number(row.received_at) / DAY_MS) * DAY_MS,
    occurredAt: undefined,
    // Its id says nothing of its time.
    originId: randomUUID(),
  };
};
