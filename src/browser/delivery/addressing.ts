/** Events that were tracked before an `identify` get contact and account, or are dropped after a log-out. */
import type { TrackEvent } from "../../types.js";
import { format, revise } from "../capture/event-body.js";
import { report } from "../reporting.js";
import { tellChanges } from "../state/consent.js";
import { identity, identityParams, readIdentity } from "../state/identity.js";
import { change, drop, enlist, move, put, rename, rows, unaddressed } from "./queue.js";
import { contentOf, isOwn, isStamped, leaseLeft, type Row, stampOf } from "./row.js";
import { isUnchanged } from "./tabs.js";

/**
 * What a row holds of an event: with its stamp, as soon as it has its contact. Where the page has given a member of the stamp itself,
 * in a sense of its own, the event goes without.
 */
export const seal = (row: Row, event: TrackEvent): ReturnType<typeof contentOf> => {
  const own =
    isStamped(row) && Object.keys(event.params!).find((name) => /^(event_(id|source|seq)|occurred_at)$/.test(name));
  if (own) {
    row.letters = row.letters.replace("s", "");
    report("input", `stamp: params.${own}`);
  }
  return contentOf(format(event, !!event.contact_uid && isStamped(row) && stampOf(row.key)));
};

/**
 * Gives the event the contact and the account, which wins over that of the options. The event's own account wins over both.
 *
 * @returns whether it is there still: the hook may drop it, or take everything away by an `optOut()`
 */
export const address = (row: Row): boolean => {
  const { params, ...event } = JSON.parse(row.body) as TrackEvent;
  // The hook may call verbs, which must not find it waiting.
  move(row);
  const given = { ...identityParams(), ...params, ...(row.letters.includes("o") && identityParams()) };
  const next = revise({ contact_uid: identity[1], ...event, params: given }, true);
  const content = next?.contact_uid && seal(row, next);
  if (!rows.has(row.key)) return false;
  if (content) {
    change(row, content);
    enlist(row);
  } else drop(row);
  return !!content;
};

/**
 * Somebody may have been named or have logged out, or the visitor have chosen: the page is told, and what waits for a contact gets
 * it, or goes. What this document has tracked gets it at once, if this one has named somebody or the first lease holds; else, as
 * what others have tracked, when it is sent: who hears late of a log-in hears late, too, of what others have sent since.
 *
 * @param isTold whether another document may have named somebody
 */
export const addressAll = (isTold?: boolean): void => {
  // A verb that the hook called may have done it.
  for (const row of [...unaddressed])
    if (row.list !== unaddressed) continue;
    else if (identity[0]) drop(row);
    else if (!identity[1] || !isOwn(row) || (isTold && !leaseLeft(row))) enlist(row);
    else if (isUnchanged(row) && address(row)) put(row);
  tellChanges();
};

/** Events that wait here with an older proof of this contact and account get the new one. */
export const renewProof = (contact: string, account: string, proof: string): void => {
  const [, before, accountBefore, proofBefore] = identity;
  if (!proofBefore || proofBefore === proof || before !== contact || accountBefore !== account) return;
  for (const row of rows.values())
    if (isOwn(row) && isUnchanged(row)) {
      change(row, contentOf(row.body.replace(proofBefore, proof)));
      put(row);
      // What was refused without it waits no longer.
      if (row.list) enlist(row);
    }
};

/** Learns whom other documents have named, and whether somebody has logged out: whoever comes next is counted anew. */
export const readVisitor = (): void => {
  const [before] = identity;
  readIdentity();
  if (identity[0] !== before) rename();
  addressAll(true);
};
