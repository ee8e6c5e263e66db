import { seed } from "../../../demo/records/fill.js";
import { DEFAULT_WORKSPACE } from "../../../src/service/base/exact-text.js";
import { runningUrl } from "../../../src/service/database/embedded/server.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { type Place, runAt } from "../support/database.js";

interface Amounts {
  events: number;
  contacts: number;
  users: number;
  /** Default: 500 */
  accounts?: number;
  /** The days over which the events are spread, which end a minute ago. Default: one event in 100 ms */
  days?: number;
}

/** Of so many events one is named `rare`. */
const RARE_EVERY = 100_000;

/**
 * Makes the demo's database at a place, and fills it with events, contacts (`bulk-<number>`), accounts and users, by SQL of its own:
 * through the service a million takes too long. The rows are as the service makes them.
 */
export const fillPlace = async (place: Place, amounts: Amounts): Promise<void> => {
  const { events, contacts, users, accounts = 500, days } = amounts;
  const database = await openDatabase(place);
  await seed(database.query);
  const every = days === undefined ? 100 : (days * 86_400_000) / events;
  const start = Math.floor(Date.now() - 60_000 - events * every);
  const at = `(${start}::bigint + floor(n * ${every}::float8)::bigint)`;
  const id = (kind: string, uid: string) =>
    `left(encode(sha256(convert_to('default/${kind}:' || ${uid}, 'UTF8')), 'hex'), 32)::uuid`;
  const [contact, account] = [`'bulk-' || n % ${contacts}`, `'bulk-' || n % ${contacts} % ${accounts}`];
  // That of the script: ten events in a document, of some of which one is missing.
  const document = `n % ${contacts} || '/' || n / ${contacts} / 10`;
  const stamp = `md5('stamp' || n)::uuid, md5(${document})::uuid, 1 + n / ${contacts} % 10 + n / 7 % 2`;
  const of = (amount: number) => `FROM generate_series(0, ${amount - 1}) AS n`;
  // A statement that fills takes longer than one of a request may.
  await runAt(
    place.databaseUrl ?? runningUrl(place.dataFolder)!,
    `INSERT INTO accounts (id, unique_id, created_at, data, stage, health)
     SELECT ${id("account", "'bulk-' || n")}, 'bulk-' || n, n, '{"name":"Bulk"}', '{"name":"Trial","id":"stage-1"}', 50 ${of(accounts)}`,
    `INSERT INTO contacts (id, unique_id, created_at, archived, data)
     SELECT ${id("contact", "'bulk-' || n")}, 'bulk-' || n, n, false, '{"name":"Bulk"}' ${of(contacts)}`,
    `INSERT INTO account_contacts (account_id, contact_id)
     SELECT ${id("account", `'bulk-' || n % ${accounts}`)}, ${id("contact", "'bulk-' || n")} ${of(contacts)}`,
    `INSERT INTO users (id, email, name, role, enabled, created_at)
     SELECT md5('user:' || n), 'user.' || n || '@staff.example', 'User ' || n, 'viewer', true, 1000000000 + (n % 5000) * 86400 ${of(users)}`,
    `INSERT INTO events (contact_id, id, workspace, contact_uid, account_uid, event_uid, page, received_at, params, occurred_at, stamp, source, number)
     SELECT ${id("contact", contact)}, (lpad(to_hex(${at}), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
            '${DEFAULT_WORKSPACE}', ${contact}, ${account},
            CASE WHEN n % ${RARE_EVERY} = 7 THEN 'rare' WHEN n % 10 = 0 THEN 'event-' || n / 10 % 20 ELSE 'pageview' END,
            CASE WHEN n % ${RARE_EVERY} <> 7 AND n % 10 <> 0 THEN 'shop.example/products/' || n % 1000 END, ${at},
            '{"account_uid":"' || ${account} || '","visit_url":"https://shop.example/products/' || n % 1000 || '","display_name":"Product page"}',
            ${at} - n % 5000, ${stamp} ${of(events)}`,
    "ANALYZE accounts, contacts, account_contacts, users, events",
  );
  await database.close();
};

/** The look-ups that a service answers, by the path that asks for each, in a database that was filled so. */
export const lookUps = ({ contacts, users }: Amounts): Record<string, string> => {
  const contact = `bulk-${Math.floor(contacts / 2)}`;
  return {
    "contact by uid": `/v2/contacts?uid=${contact}`,
    "account by uid": "/v2/accounts?uid=bulk-499",
    "users, first page": "/v2/users",
    "users, from the middle": `/v2/users?offset=${Math.floor(users / 2)}&limit=100`,
    "users, last page": `/v2/users?offset=${users - 100}&limit=100`,
    "users, last page, oldest first": `/v2/users?order=asc&offset=${users - 100}&limit=100`,
    "live page, latest events": "/v2/events?order=desc&limit=50",
    "events of a contact": `/v2/events?contact_uid=${contact}&limit=50`,
    "events of an account": "/v2/events?account_uid=bulk-499&limit=50",
    "events of an unknown contact": "/v2/events?contact_uid=nobody&limit=50",
    "events by a usual name": "/v2/events?event_uid=pageview&limit=50",
    "events by a rare name": "/v2/events?event_uid=rare&limit=50",
    "events by an absent name": "/v2/events?event_uid=absent&limit=50",
    "latest events by an absent name": "/v2/events?event_uid=absent&order=desc&limit=50",
    "events of a contact by a rare name": `/v2/events?contact_uid=${contact}&event_uid=rare&limit=50`,
  };
};
