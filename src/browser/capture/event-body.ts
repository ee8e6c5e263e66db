/** What an event is made of: plain params, what the page's hook leaves, and the text of its body (`POST /v1/track/event`). */

import { attempt } from "../../shared/attempt.js";
import type { Params } from "../../types/declared.js";
import type { TrackEvent } from "../../types.js";
import { config } from "../config.js";
import { log, report } from "../reporting.js";

/**
 * The members of `params` as plain data, by their JSON. Those that cannot be written are left out and reported; what is no
 * object has none.
 *
 * @param verb names the call in a report
 */
export const plainParams = (verb: string, params: unknown): Params => {
  const saved: Params = {};
  try {
    const json = JSON.stringify(params ?? {});
    if (json?.[0] === "{") return JSON.parse(json);
    report("input", `${verb}: params`);
  } catch {
    const leaveOut = (name: string): void => report("input", `${verb}: params.${name}`);
    /** The objects around a member: one that stands in itself has no end. */
    const around: unknown[] = [];
    function plain(this: unknown, name: string, value: unknown): unknown {
      around.length = around.indexOf(this) + 1;
      if (typeof value === "bigint" || around.includes(value)) return leaveOut(name);
      around.push(value);
      return value;
    }
    // One by one, those that can be written are saved.
    for (const name of attempt(() => Object.keys(params as Params)) ?? [])
      if (!attempt(() => Object.assign(saved, JSON.parse(JSON.stringify({ [name]: (params as Params)[name] }, plain)))))
        leaveOut(name);
  }
  return saved;
};

/** The body: its members in one order, and no others. A stamp stands behind what the page has given. */
export const format = ({ contact_uid, event_uid, params }: TrackEvent, stamp?: Params | false): string =>
  JSON.stringify({ contact_uid: contact_uid || undefined, event_uid, params: { ...params, ...stamp } });

/**
 * The event as plain data, as `beforeSend` leaves it; nothing where that drops it. A hook that throws has dropped it: it may have
 * been about to take something out.
 *
 * @param again whether the hook has seen it before, without contact and account
 */
export const revise = (event: TrackEvent, again = false): TrackEvent | undefined => {
  if (!config.beforeSend) return event;
  try {
    const [next = event] = [config.beforeSend(event, { again })];
    if (!next) return void log("dropped", "beforeSend");
    if (!next.event_uid) throw Error();
    return JSON.parse(format(next));
  } catch (error) {
    // Without the event: that it goes nowhere is all that is known of it. Its message may hold what the hook has read of a person.
    report("input", `beforeSend: ${(error as Error)?.name}`);
  }
};
