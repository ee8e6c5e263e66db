import { recordId } from "../../base/exact-text.js";
import type { Database } from "../../database/database.js";
import { newIds } from "../../database/event-id.js";
import { type Bounds, writeInTime } from "../../database/settled.js";
import { insertEvents, type NewEvent } from "./rows.js";

/* Whether an event can be stored: one is, and is taken back in the same transaction. */

const TAKE_BACK = { name: "remove_probe", text: "DELETE FROM events WHERE contact_id = $1 AND id = $2" };

/** They belong to nobody, and lie on all nodes, if there are several. */
const PROBES = Array.from(
  { length: 32 },
  (_, number): NewEvent => ({
    workspace: "",
    contactUid: String(number),
    accountUid: undefined,
    eventUid: "",
    params: "{}",
    stamp: undefined,
    receivedAt: 0,
    occurredAt: undefined,
  }),
);

/** @param nodeOf where an event lies @returns resolves once one node has stored one, and rejects where none can */
export const createProbe = (
  database: Database,
  bounds: Bounds,
  nodeOf: (event: NewEvent) => number,
): (() => Promise<void>) => {
  /** By their nodes: one that gives no answer is not asked again meanwhile. */
  const probing = new Map<number, Promise<void>>();
  const probe = async (node: number, event: NewEvent): Promise<void> => {
    const ids = newIds(1);
    const contact = recordId("contact", event.contactUid, event.workspace);
    const statements = [...insertEvents(ids, [event]), { ...TAKE_BACK, values: [contact, ...ids] }];
    await writeInTime(database, statements, { oldest: ids[0]!, bounds, node });
  };
  return async () => {
    const nodes = new Map(PROBES.map((event) => [nodeOf(event), event]));
    for (const [node, event] of nodes)
      if (!probing.has(node))
        probing.set(
          node,
          probe(node, event).finally(() => probing.delete(node)),
        );
    // What another node cannot do now is answered with 503, and holds up nothing here.
    await Promise.any([...nodes.keys()].map((node) => probing.get(node))).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
  };
};
