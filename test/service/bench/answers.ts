import { recordId } from "../../../src/service/base/exact-text.js";
import type { Database, Query } from "../../../src/service/database/database.js";
import { SPANS } from "../../../src/service/numbers/spans.js";
import { startService } from "../support/running-service.js";

const ASKED = 5;

/** What the pages ask for, by `GET /v2/numbers…`, in a database that `fillPlace` has filled. */
const answers = (): string[] => {
  const [account, contact] = [recordId("account", "bulk-7"), recordId("contact", "bulk-7")];
  const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
  return [
    ...Object.keys(SPANS).flatMap((span) => [
      `?span=${span}`,
      `/accounts?span=${span}`,
      `?span=${span}&path=/products/7`,
    ]),
    ...["UTC", "Asia/Kathmandu"].map((zone) => `?span=30d&time_zone=${zone}`),
    `?from=${day}&to=${day}`,
    ...[
      "event_uid=pageview",
      "event_uid=event-7",
      "event_uid=rare",
      "host=shop.example",
      "referrer=search.example",
    ].map((filter) => `?span=30d&${filter}`),
    `?span=30d&account=${account}`,
    ...["show=falling", "show=silent", "sort=name", "search=bulk-7", "offset=50"].map((which) => `/accounts?${which}`),
    ...[`/accounts/${account}`, `/accounts/${account}/events`, `/contacts/${contact}`, `/contacts/${contact}/events`],
    ...["/returning?of=account", "/returning?of=contact", "/left-out"],
  ];
};

interface Node {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Node[];
}

/** How many rows of events, and of other tables, a plan has read. */
const readBy = (node: Node): { events: number; others: number } => {
  const own =
    (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)) *
    node["Actual Loops"];
  const read = { events: 0, others: 0 };
  if (node["Relation Name"] !== undefined) read[node["Relation Name"] === "events" ? "events" : "others"] += own;
  for (const { events, others } of (node.Plans ?? []).map(readBy)) {
    read.events += events;
    read.others += others;
  }
  return read;
};

/** Of each answer the milliseconds that it takes, and the rows that its statements read. Closes the database. */
export const askAnswers = async (database: Database) => {
  const statements: Parameters<Query>[] = [];
  const beside = (most: number) => {
    const own = database.beside(most);
    const query: Query = (...statement) => {
      statements.push(statement);
      return own.query(...statement);
    };
    return { ...own, query };
  };
  const service = await startService({ database: { ...database, beside } });
  const rows: Record<string, Record<string, number>> = {};
  for (const path of answers()) {
    const times: number[] = [];
    while (times.length < ASKED) {
      statements.length = 0;
      const from = performance.now();
      const answer = await service.get(`/v2/numbers${path}`);
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
      await answer.arrayBuffer();
      times.push(performance.now() - from);
    }
    const read = { events: 0, others: 0 };
    for (const [sql, values] of statements) {
      const [row] = await database.query<Record<string, [{ Plan: Node }]>>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        values,
      );
      const { events, others } = readBy(Object.values(row!)[0]![0].Plan);
      read.events += events;
      read.others += others;
    }
    rows[path] = {
      ...{ "best ms": Math.round(Math.min(...times)), "worst ms": Math.round(Math.max(...times)) },
      ...{ "rows of events": read.events, "other rows": read.others },
    };
  }
  await service.close();
  return rows;
};
