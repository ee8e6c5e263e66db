import { once } from "node:events";
import { createWriteStream, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { isUnavailable } from "../../../src/service/database/sql-state.js";
import { openScene } from "../attack/scene.js";
import { buildNext } from "../attack/upgrade.js";
import { askPage } from "../bench/questions.js";
import { runAt } from "../support/cluster.js";
import { followSums } from "../support/follow-sums.js";
import { SERVICE } from "../support/service-process.js";
import { runTold } from "../support/told-command.js";

const [DAY, DAYS, RETENTION] = [86_400_000, 365, 180];
/** Parts from one backup to the next: it takes the longer the more there is. */
const EVERY = 7;
/** Contacts that are erased beside each other. */
const TOGETHER = 8;
const ADMIN = "year-admin-token-1";
const ACCESS = "year-access-token-1";

export interface Year {
  events: number;
  contacts: number;
  accounts: number;
  erasures: number;
  /** In so many parts the year is brought in; each has its erasures and its retention. */
  parts: number;
  /** How often a day the numbers are asked. */
  asked: number;
}

/** Numbers that look like chance, the same in each run. */
const createChance = () => {
  let state = 1;
  return (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
};

/** Figures by their name. */
export type Figures = Record<string, number>;

/**
 * A year of a site: its events are imported with the times of then, contacts are erased, what is too old is deleted, all is backed up,
 * the next release changes the tables in the middle, and the numbers are asked for each hour.
 *
 * @param told hears how far it is
 * @returns the figures at a tenth and at the end, and what was wrong
 */
export const liveThrough = async (year: Year, told: (line: string) => void) => {
  const scene = await openScene({ given: { sync: true } });
  const databaseUrl = scene.given!.url;
  const database = await openDatabase({ databaseUrl, dataFolder: "" });
  const folder = await mkdtemp(join(tmpdir(), "tracklet-year-"));
  const wrong: string[] = [];
  const began = Math.floor(Date.now() / DAY - DAYS) * DAY;
  const chance = createChance();
  let entry = SERVICE;
  const ask = (sql: string) => runAt<Record<string, unknown>>(databaseUrl, sql);
  const run = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await scene.another({}, [], [entry, ...args]).closed;
    if (code !== 0) wrong.push(`${args[0]}: ${stderr}`);
  };
  const start = async () => {
    const from = performance.now();
    const service = scene.another({ TRACKLET_ADMIN_TOKEN: ADMIN, TRACKLET_ACCESS_TOKEN: ACCESS }, [], [entry]);
    const url = await service.ready();
    return { ...service, url, seconds: (performance.now() - from) / 1_000 };
  };
  let service = await start();
  const request = async (path: string, token: string, method = "GET"): Promise<number> => {
    const from = performance.now();
    const answer = await fetch(service.url + path, { method, headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) wrong.push(`${path}: ${await answer.text()}`);
    await answer.arrayBuffer().catch(() => {});
    return performance.now() - from;
  };

  const erased = new Set<number>();
  /** Writes the events of a part, of which some contacts are erased then: another one comes in place of each. */
  const write = async (part: number): Promise<{ file: string; seen: Set<number> }> => {
    const seen = new Set<number>();
    const file = join(folder, "events.ndjson");
    const out = createWriteStream(file);
    const [from, count] = [Math.floor((part * year.events) / year.parts), Math.ceil(year.events / year.parts)];
    for (let number = from; number < Math.min(from + count, year.events); number += 1) {
      const at = Math.floor(began + (number * DAYS * DAY) / year.events);
      const met = chance(year.contacts);
      if (!erased.has(met)) seen.add(met);
      const contact = erased.has(met) ? met + year.contacts : met;
      const account_uid = `account ${contact % year.accounts}`;
      const event_uid = chance(10) > 0 ? "pageview" : ["signup", "project_created", "colleague_invited"][chance(3)];
      const id = `${at.toString(16).padStart(12, "0")}-7000-8000-${number.toString(16).padStart(12, "0")}`;
      const params = { account_uid, visit_url: `https://shop.example/products/${chance(150)}`, display_name: "A page" };
      const line = {
        id: id.replace(/^(.{8})/, "$1-"),
        received_at: at,
        contact_uid: `contact ${contact}`,
        account_uid,
      };
      if (!out.write(`${JSON.stringify({ ...line, event_uid, params })}\n`)) await once(out, "drain");
    }
    out.end();
    await once(out, "close");
    return { file, seen };
  };

  const measure = async (asked: readonly number[]): Promise<Figures> => {
    await service.stop("SIGTERM");
    service = await start();
    const figures: Figures = { "start, s": service.seconds };
    const done = async () =>
      Number(
        (await ask("SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = 'postgres'"))[0]!.n,
      );
    const [from, at] = [await done(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    figures["queries a second, idle"] = ((await done()) - from) / ((performance.now() - at) / 1_000);
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, "utf8"))!;
    figures["memory of a process, MB"] = Number(kilobytes) / 1_024;
    const hours = asked.toSorted((a, b) => a - b);
    figures["numbers, ms, half"] = hours[hours.length >> 1]!;
    figures["numbers, ms, worst"] = hours.at(-1)!;
    await ask("ANALYZE");
    for (const [question, milliseconds] of Object.entries(await askPage(databaseUrl))) figures[question] = milliseconds;
    for (const { name, bytes } of await ask(
      "SELECT tablename AS name, pg_total_relation_size(tablename::regclass) AS bytes FROM pg_tables WHERE schemaname = 'public' ORDER BY 2 DESC",
    ))
      figures[`${name}, kB`] = Number(bytes) / 1_024;
    return figures;
  };

  /** The service does it, too, a minute later: a step of the one may wait too long for one of the other. */
  const follow = (): Promise<void> =>
    followSums(database).catch((error) => {
      if (!isUnavailable(error)) throw error;
      return follow();
    });

  const figures: Figures[] = [];
  let asked: number[] = [];
  let backup = "";
  for (let part = 0; part < year.parts; part += 1) {
    const { file, seen } = await write(part);
    await run("import", file);
    const due = Math.floor(((part + 1) * year.erasures) / year.parts) - erased.size;
    for (let from = 0; from < due; from += TOGETHER) {
      const some = [...seen].slice(from, Math.min(from + TOGETHER, due));
      await Promise.all(some.map((contact) => request(`/v2/contacts?uid=contact%20${contact}`, ADMIN, "DELETE")));
      for (const contact of some) erased.add(contact);
    }
    const today = Math.floor(((part + 1) * DAYS) / year.parts);
    if (today > RETENTION) await run("delete-events", "--older-than", String(DAYS - today + RETENTION), "--yes");
    await follow();
    for (let hour = 0; hour < (year.asked * DAYS) / year.parts; hour += 1) {
      const [since, until] = [hour % 2 === 0 ? 29 : 0, 0].map((days) => began + (today - 1 - days) * DAY);
      const [from, to] = [since, until].map((time) => new Date(time!).toISOString().slice(0, 10));
      asked.push(await request(`/v2/numbers?from=${from}&to=${to}`, ACCESS));
    }
    if (part % EVERY === 0) {
      const from = performance.now();
      await runTold({ databaseUrl }, "dump", join(folder, "dump"));
      backup = `the backup took ${Math.round((performance.now() - from) / 1_000)} s, it has ${Math.round(statSync(join(folder, "dump")).size / 2 ** 20)} MB`;
    }
    if (part === year.parts >> 1) {
      entry = buildNext();
      await run("migrate");
      await service.stop("SIGTERM");
      service = await start();
    }
    if (part + 1 === Math.ceil(year.parts / 10) || part + 1 === year.parts) {
      figures.push(await measure(asked));
      asked = [];
    }
    told(`day ${today}: ${backup}`);
  }

  const [{ events, summed, old, left }] = (await ask(
    `SELECT (SELECT count(*) FROM events) AS events, (SELECT sum(events) FROM sums WHERE kind = 'event') AS summed,
       (SELECT count(*) FROM events WHERE received_at < ${Date.now() - (RETENTION + 1) * DAY}) AS old,
       (SELECT count(*) FROM events WHERE contact_uid IN (${[...erased].map((contact) => `'contact ${contact}'`)})) AS left`,
  )) as [Record<string, unknown>];
  if (summed !== events) wrong.push(`the sums are of ${summed} events, and there are ${events}`);
  if (old !== "0") wrong.push(`${old} events are older than they may be`);
  if (left !== "0") wrong.push(`${left} events are of contacts that were erased`);
  await service.stop("SIGTERM");
  await database.close();
  await scene.close();
  await rm(folder, { recursive: true });
  return { figures: figures as [tenth: Figures, end: Figures], wrong };
};
