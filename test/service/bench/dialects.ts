/*
 * The questions of docs/service/sql.md, asked of the events alone, as PostgreSQL and DuckDB take them: what differs is how a time is read.
 */

/** How an engine says it. */
interface Dialect {
  /** The table, and what is true of all rows that count. */
  events: string;
  /** A condition: not before this time, in epoch milliseconds. */
  since(time: number): string;
  /** When it happened, in epoch milliseconds. */
  ms: string;
  /** The same as a day of UTC, and as a quarter of an hour, which is that of a day in a zone. */
  day: string;
  quarter: string;
  dayIn(zone: string, quarter: string): string;
  week: string;
  /** Milliseconds until it was received. */
  late: string;
  /** A condition: of this contact, of this account. */
  contact(uid: string): string;
  account(uid: string): string;
}

const AT = "coalesce(occurred_at, received_at)";
const digest = (text: string) => `left(encode(sha256(convert_to('${text}', 'UTF8')), 'hex'), 32)::uuid`;
const PG_AT = `to_timestamp(${AT} / 1000.0)`;

/** By the keys, as the page says. */
export const POSTGRES: Dialect = {
  events: "events WHERE workspace = 'default'",
  since: (time) => `${AT} >= ${time}`,
  ms: AT,
  day: `(${PG_AT} AT TIME ZONE 'UTC')::date`,
  quarter: `${AT} / 900000`,
  dayIn: (zone, quarter) => `(to_timestamp(${quarter} * 900) AT TIME ZONE '${zone}')::date`,
  week: `date_trunc('week', ${PG_AT} AT TIME ZONE 'UTC')::date`,
  late: "received_at - occurred_at",
  contact: (uid) => `contact_id = ${digest(`default/contact:${uid}`)}`,
  account: (uid) =>
    `account_uid = '${uid}' AND contact_id IN (SELECT contact_id FROM account_contacts WHERE account_id = ${digest(`default/account:${uid}`)})`,
};

export const duckOver = (folder: string): Dialect => ({
  events: `'${folder}/workspace=default/day=*/*.parquet' WHERE true`,
  since: (time) => `${AT} >= epoch_ms(${time})`,
  ms: `epoch_ms(${AT})`,
  day: `${AT}::DATE`,
  quarter: `epoch_ms(${AT}) // 900000`,
  dayIn: (zone, quarter) => `timezone('${zone}', to_timestamp(${quarter} * 900))::DATE`,
  week: `date_trunc('week', ${AT})::DATE`,
  late: "epoch_ms(received_at) - epoch_ms(occurred_at)",
  contact: (uid) => `contact_uid = '${uid}'`,
  account: (uid) => `account_uid = '${uid}'`,
});

const DAY = 86_400_000;

/** Each question by its number. @param now epoch milliseconds */
export const questionsIn = (d: Dialect, now: number): Record<string, string> => {
  const began = `SELECT contact_id, min(${d.week}) AS week FROM ${d.events} GROUP BY contact_id`;
  const name = (event: string) => `${d.events} AND event_uid = '${event}'`;
  const next = (before: string, event: string, from: string) =>
    `SELECT b.contact_id, b.began, min(e.ms) AS ms FROM ${before} AS b
     JOIN (SELECT contact_id, ${d.ms} AS ms FROM ${name(event)}) AS e
       ON e.contact_id = b.contact_id AND e.ms BETWEEN b.${from} AND b.began + ${7 * DAY} GROUP BY b.contact_id, b.began`;
  return {
    "1 active contacts by week": `SELECT ${d.week} AS week, count(DISTINCT contact_id) AS contacts
      FROM ${d.events} AND ${d.since(now - 84 * DAY)} GROUP BY 1`,
    "2 what each account did": `SELECT account_uid, event_uid, count(*) AS events, count(DISTINCT contact_id) AS contacts
      FROM ${d.events} AND account_uid IS NOT NULL AND ${d.since(now - 30 * DAY)} GROUP BY 1, 2`,
    "3 contacts of an account": `SELECT contact_uid, max(${d.ms}) AS seen FROM ${d.events} AND ${d.account("bulk-7")} GROUP BY 1`,
    "4 a funnel": `WITH one AS (SELECT contact_id, min(${d.ms}) AS began FROM ${name("event-1")} GROUP BY 1),
      two AS (${next("one", "event-2", "began")}), three AS (${next("two", "event-3", "ms")})
      SELECT (SELECT count(*) FROM one) AS one, (SELECT count(*) FROM two) AS two, (SELECT count(*) FROM three) AS three`,
    "5 most viewed pages": `SELECT page, count(*) AS views FROM ${name("pageview")} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20`,
    "6 new contacts by week": `SELECT week, count(*) AS contacts FROM (${began}) AS began GROUP BY 1`,
    "7 who comes back": `WITH active AS (SELECT DISTINCT contact_id, ${d.week} AS week FROM ${d.events}),
      began AS (SELECT contact_id, min(week) AS first FROM active GROUP BY 1)
      SELECT first, week - first AS later, count(*) AS contacts FROM began JOIN active USING (contact_id) GROUP BY 1, 2`,
    "8 quiet accounts": `SELECT account_uid, max(${d.ms}) AS seen FROM ${d.events} AND ${d.since(now - 90 * DAY)}
      GROUP BY 1 HAVING max(${d.ms}) < ${now - DAY / 24}`,
    "9 how late they arrive": `SELECT ${d.day} AS day, count(*) AS events, percentile_disc(0.99) WITHIN GROUP (ORDER BY ${d.late}) AS most
      FROM ${d.events} AND occurred_at IS NOT NULL GROUP BY 1`,
    "10 what a contact did": `SELECT ${d.ms} AS ms, event_uid, account_uid, params FROM ${d.events} AND ${d.contact("bulk-77")}
      ORDER BY 1 DESC, 2 LIMIT 50`,
    "11 active contacts by account": `SELECT ${d.day} AS day, account_uid, count(DISTINCT contact_id) AS contacts
      FROM ${d.events} AND account_uid IS NOT NULL AND ${d.since(now - 30 * DAY)} GROUP BY 1, 2`,
    "12 page views by day of a zone": `SELECT ${d.dayIn("Pacific/Auckland", "quarter")} AS day, sum(views) AS views
      FROM (SELECT ${d.quarter} AS quarter, count(*) AS views FROM ${name("pageview")} GROUP BY 1) AS quarters GROUP BY 1`,
    "13 missing events by document": `SELECT source, uid, events, last - events AS missing
      FROM (SELECT source, min(contact_uid) AS uid, count(DISTINCT stamp) AS events, max(number) AS last
            FROM ${d.events} AND source IS NOT NULL GROUP BY 1) AS documents WHERE last > events`,
  };
};
