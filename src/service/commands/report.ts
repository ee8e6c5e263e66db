import { type Command, Option } from "commander";
import type { Query } from "../database/database.js";
import { dayIn, later } from "../days/zone.js";
import { ask } from "../numbers/questions.js";
import { readWhen } from "../numbers/spans.js";
import type { Commands } from "./context.js";

/** Lines of a list. */
const MOST = 10;
/** Names of events that are compared, as many as a day keeps. */
const NAMES = 2_000;

/** The command that sums a week up, as a mail. */
export const addReportCommand = ({ program, workspace, reading, write }: Commands) =>
  program
    .command("report")
    .description("writes a mail, as HTML and as text: what rose and fell, who went silent, and what stopped coming")
    .addOption(new Option("--week", "of the seven days up to yesterday").makeOptionMandatory())
    .option("--to <address>", "whom it is for, as sendmail -t reads it")
    .addOption(workspace())
    .action(({ to, workspace }: { to?: string; workspace: string }, command: Command) => {
      if (to !== undefined && /[^\x21-\x7e]/.test(to)) command.error("--to must be an address");
      return reading(async (query) => write([toMail(await weekOf(query, workspace), to)]));
    });

interface Counted {
  events: number;
  before: number;
}
interface Named extends Counted {
  name: string;
}
interface Listed {
  silent: number;
  data: Named[];
}
interface Keys extends Omit<Counted, "events"> {
  total: number;
  data: (Counted & { key: string })[];
}

/** What a mail tells: figures with those of the week before, and lists. */
interface Week {
  title: string;
  tiles: [what: string, now: number, before: number][];
  lists: [title: string, rows: Named[]][];
}

/** Asks for the seven days up to yesterday, and the seven before. */
const weekOf = async (query: Query, workspace: string): Promise<Week> => {
  const { time_zone } = await ask<{ time_zone: string }>(query, "state", { workspace });
  const today = dayIn(time_zone, Date.now());
  const [from, to] = [later(today, -7), later(today, -1)];
  const { ranges } = readWhen({ span: "7d", from, to }, time_zone);
  const of = <Answer>(question: string, more: object = {}) =>
    ask<Answer>(query, question, { workspace, ...ranges, ...more });
  const list = (question: string, show: string, order: string) =>
    of<Listed>(question, { show, sort: "change", order, limit: MOST, members: "false" });
  const names = { kind: "name", most: NAMES, series: 0 };
  const [now, past, pages, contacts, accounts] = await Promise.all([
    of<Keys>("keys", names),
    of<Keys>("keys", { ...names, days: ranges.days_before, days_before: ranges.days }),
    of<Keys>("keys", { kind: "path", most: 1, series: 0 }),
    of<Keys>("active", { of: "contact" }),
    of<Keys>("active", { of: "account" }),
  ]);
  const [rose, fell, silent, silentPeople] = await Promise.all([
    list("accounts", "all", "desc"),
    list("accounts", "all", "asc"),
    list("accounts", "silent", "asc"),
    list("contacts", "silent", "asc"),
  ]);
  const events = now.data.map(({ key, ...counts }) => ({ name: key, ...counts }));
  const byChange = (sign: 1 | -1) =>
    events
      .filter(({ events, before }) => sign * (events - before) > 0)
      .sort((a, b) => sign * (b.events - b.before - a.events + a.before));
  // Of the week before, those that have no events now.
  const stopped = past.data.filter(({ before }) => before === 0);
  const part = (listed: Listed, sign: 1 | -1) => listed.data.filter((one) => sign * (one.events - one.before) > 0);
  return {
    title: `${workspace}: ${from} to ${to}`,
    tiles: [
      ["Events", now.total, now.before],
      ["Page views", pages.total, pages.before],
      ["Active people", contacts.total, contacts.before],
      ["Active accounts", accounts.total, accounts.before],
    ],
    lists: [
      ["Events that rose", byChange(1)],
      ["Events that fell", byChange(-1)],
      ["Events that stopped coming", stopped.map(({ key, events }) => ({ name: key, events: 0, before: events }))],
      ["Accounts that rose", part(rose, 1)],
      ["Accounts that fell", part(fell, -1)],
      [`Accounts that went silent (${silent.silent})`, silent.data],
      [`People who went silent (${silentPeople.silent})`, silentPeople.data],
    ],
  };
};

const changed = (now: number, before: number): string =>
  `${now.toLocaleString("en")} (${before.toLocaleString("en")} the week before)`;
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

/** A message of two parts, each as base64: lines of a mail have a greatest length. */
const toMail = ({ title, tiles, lists }: Week, to: string | undefined): string => {
  const sections = [
    ["The week", tiles.map(([what, now, before]) => [what, changed(now, before)])] as const,
    ...lists.map(
      ([name, rows]) =>
        [name, rows.slice(0, MOST).map((one) => [one.name, changed(one.events, one.before)] as const)] as const,
    ),
  ].filter(([, rows]) => rows.length > 0);
  const text = sections.map(([name, rows]) => [name, ...rows.map((row) => `  ${row.join(": ")}`), ""].join("\n"));
  const cell = (text: string) => `<td style="padding:2px 16px 2px 0">${escaped(text)}</td>`;
  const html = sections.map(
    ([name, rows]) =>
      `<h2>${escaped(name)}</h2><table>${rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n")}</table>`,
  );
  const part = (type: string, body: string) =>
    `--part\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${Buffer.from(body).toString("base64").replace(/.{76}/g, "$&\n")}\n`;
  const heads = [`Subject: ${title}`, ...(to === undefined ? [] : [`To: ${to}`]), "MIME-Version: 1.0"];
  return `${heads.join("\n")}\nContent-Type: multipart/alternative; boundary=part\n\n${part("text/plain", `${title}\n\n${text.join("\n")}`)}${part("text/html", `<h1>${escaped(title)}</h1>${html.join("\n")}`)}--part--\n`;
};
