import pg from "pg";
import { readQuestions } from "../../../src/service/commands/sql-page.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { SPANS } from "../../../src/service/numbers/spans.js";
import { step } from "../../../src/service/numbers/sums.js";
import type { Place } from "../support/places.js";
import { startService } from "../support/running-service.js";
import { fillPlace, urlOf } from "./fill.js";

/** Millions of events; `QUESTIONS_MILLIONS=10` asks a larger database. */
const EVENTS = Number(process.env.QUESTIONS_MILLIONS ?? 1) * 1_000_000;
/** A year of a site. */
const SITE = { contacts: 20_000, accounts: 300, users: 1_000, days: 365 };
const ASKED = 5;
/** A question that takes longer is asked once. */
const SLOW_MS = 2_000;

/** The milliseconds that each question of docs/service/sql.md takes, the best of some: as a tool asks it, without a limit. */
export const askPage = async (databaseUrl: string): Promise<Record<string, number>> => {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const best: Record<string, number> = {};
  for (const { number, title, sql } of await readQuestions()) {
    const times: number[] = [];
    while (times.length < ASKED && (times[0] ?? 0) < SLOW_MS) {
      const from = performance.now();
      await client.query(sql);
      times.push(performance.now() - from);
    }
    best[`${number}. ${title}`] = Math.round(Math.min(...times));
  }
  await client.end();
  return best;
};

/** What the sums of that many events cost, and the milliseconds that each span of `GET /v2/numbers` takes by them; then those of the page for SQL. */
export const questions = async (engine: string, place: Place): Promise<void> => {
  await fillPlace(place, { events: EVENTS, ...SITE });
  const database = await openDatabase(place);
  const began = performance.now();
  while (await step(database, "default", idAt(Date.now() - 1_000)));
  const microseconds = ((performance.now() - began) * 1_000) / EVENTS;
  console.log(`\n${engine}: ${EVENTS} events, ${microseconds.toFixed(1)} µs each to sum up`);
  for (const table of ["sums", "active_contacts", "active_accounts", "active_weeks"])
    await database.query(`ANALYZE ${table}`);
  const service = await startService({ database });
  const rows: Record<string, Record<string, number>> = {};
  for (const span of Object.keys(SPANS))
    for (const zone of ["UTC", "Asia/Kathmandu"]) {
      const times: number[] = [];
      for (let ask = 0; ask < ASKED; ask += 1) {
        const from = performance.now();
        const answer = await service.get(`/v2/numbers?span=${span}&time_zone=${zone}`);
        if (!answer.ok) throw new Error(await answer.text());
        times.push(performance.now() - from);
      }
      rows[`${span}, ${zone}`] = {
        "best ms": Math.round(Math.min(...times)),
        "worst ms": Math.round(Math.max(...times)),
      };
    }
  console.table(rows);
  console.table(await askPage(urlOf(place)));
  await service.close();
};
