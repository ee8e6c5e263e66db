/** The body of an event, as text (the service's interface, `POST /v1/track/event`). */

import type { Params } from "../../declared.js";
import { attempt } from "../../shared/attempt.js";
import type { TrackEvent } from "../../types.js";
import { report } from "../reporting.js";

/**
 * The members of `params` as plain data, by their JSON. Those that cannot be written are left out and reported; what is no
 * object has none.
 *
 * @param verb names the call in a report
 */
export const plainParams = (verb: string, params: unknown): Params => {
  const members = (value: unknown): Params | undefined => {
    const json = JSON.stringify(value);
    return json?.[0] === "{" ? JSON.parse(json) : undefined;
  };
  try {
    const plain = members(params ?? {});
    if (!plain) report("input", `${verb}: params`);
    return plain ?? {};
  } catch {
    // One by one, those that can be written are saved.
    const saved: Params = {};
    for (const name of attempt(() => Object.keys(params as Params)) ?? [])
      if (!attempt(() => Object.assign(saved, members({ [name]: (params as Params)[name] }))))
        report("input", `${verb}: params.${name}`);
    return saved;
  }
};

/** The body: its members in one order, and no others. */
export const format = ({ contact_uid, event_uid, params }: TrackEvent): string =>
  JSON.stringify({ contact_uid: contact_uid || undefined, event_uid, params: { ...params } });
