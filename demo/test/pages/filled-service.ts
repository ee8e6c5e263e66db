import type { ServiceOptions } from "../../../src/service/app.js";
import { DEFAULT_WORKSPACE } from "../../../src/service/base/exact-text.js";
import { viewOf } from "../../../src/service/base/params.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { makeRecords } from "../../../src/service/ingest/store/event-rows.js";
import { AT_ONCE } from "../../../test/service/support/bounds.js";
import { openPlace } from "../../../test/service/support/database.js";
import { startService } from "../../../test/service/support/service.js";
import { waitFor } from "../../../test/support/wait.js";
import { writePast } from "../../records/fill.js";

/** An event that came so many days ago. */
export interface PastEvent {
  days: number;
  contact: string;
  account?: string;
  name: string;
  params?: object;
}

/** A service that counts at once, with these events: those of today are sent, the older ones stand in its database. */
export const startFilled = async (events: readonly PastEvent[], options: ServiceOptions = {}) => {
  const older = events
    .filter(({ days }) => days > 0)
    .sort((one, other) => other.days - one.days)
    .map(({ days, contact, account, name, params = {} }) => ({
      workspace: DEFAULT_WORKSPACE,
      stamp: undefined,
      occurredAt: undefined,
      contactUid: contact,
      accountUid: account,
      eventUid: name,
      params: JSON.stringify(params),
      ...viewOf(name, params),
      receivedAt: Math.round(Date.now() - days * 86_400_000),
    }));
  const place = await openPlace();
  const database = await openDatabase(place);
  await writePast(database.write, older);
  for (const { text, values } of makeRecords(older)) await database.query(text, values);
  const service = await startService({ database, bounds: AT_ONCE, ...options });
  for (const { contact, account, name, params } of events.filter(({ days }) => days === 0)) {
    const event = { contact_uid: contact, event_uid: name, params: { account_uid: account, ...params } };
    const { status } = await service.post(event);
    if (status !== 200) throw new Error(`the service answered ${status}`);
  }
  const total = async (time: string): Promise<number> =>
    (await (await service.get(`/v2/numbers?${time}`)).json()).events.total;
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  // A long time ends with yesterday.
  const isCounted = async () =>
    (await total(`from=${day(365)}&to=${day(1)}`)) + (await total(`from=${day(0)}&to=${day(0)}`)) === events.length;
  await waitFor(isCounted, { what: "all events to be counted" });
  const stop = async (): Promise<void> => {
    await service.close();
    await place.leave();
  };
  return { ...service, database, stop };
};
