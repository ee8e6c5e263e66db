import pg from "pg";
import { readQuestions } from "../../../src/service/commands/assistant.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { step } from "../../../src/service/numbers/sums/step.js";
import type { Place } from "../support/places.js";
import { askAnswers } from "./answers.js";
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

/** What the sums of that many events cost, and the milliseconds and rows that each answer of `GET /v2/numbers…` takes; then those of the page for SQL. */
export const questions = async (engine: string, place: Place): Promise<void> => {
  await fillPlace(place, { events: EVENTS, ...SITE });
  const database = await openDatabase(place);
  const began = performance.now();
  while (await step(database, "default", idAt(Date.now() - 1_000)));
  const microseconds = ((performance.now() - began) * 1_000) / EVENTS;
  console.log(`\n${engine}: ${EVENTS} events, ${microseconds.toFixed(1)} µs each to sum up`);
  for (const table of ["sums", "active_contacts", "active_accounts", "active_weeks"])
    await database.query(`ANALYZE ${table}`);
  console.table(await askPage(urlOf(place)));
  console.table(await askAnswers(database));
};
