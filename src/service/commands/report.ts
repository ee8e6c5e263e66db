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
export const addReportCommand = ({ program, config, workspace, withQuery, write }: Commands) =>
  program
    .command("report")
    .description("writes a mail, as HTML and as text: what rose and fell, who went silent, and what stopped coming")
    .addOption(new Option("--week", "of the seven days up to yesterday").makeOptionMandatory())
    .option("--to <address>", "whom it is for, as sendmail -t reads it")
    .addOption(workspace())
    .action(({ to, workspace }: { to?: string; workspace: string }, command: Command) => {
      if (to !== undefined && /[^\x21-\x7e]/.test(to)) command.error("--to must be an address");
      return withQuery(async (query) => write([toMail(await weekOf(query, workspace), to, config.publicUrl)]));
    });

interface Counted {
  events: number;
  before: number;
}
interface Listed {
  silent: number;
  data: (Counted & { id: string; name: string; last_seen_on: string })[];
}
interface Sum extends Omit<Counted, "events"> {
  total: number;
}
interface Keys extends Sum {
  data: (Counted & { key: string })[];
}

/** What a mail tells, and where the pages show it. */
type Row = readonly [what: string, text: string, path?: string];
interface Week {
  title: string;
  sections: { title: string; path: string; rows: Row[] }[];
}

/** As on the pages, one falls, or rises, by a quarter at least. */
const hasRisen = ({ events, before }: Counted) => events > 0 && 4 * events >= 5 * before;
const hasFallen = ({ events, before }: Counted) => events > 0 && 4 * events <= 3 * before;
const RULES =
  "Seven days up to yesterday, against the seven before. Rose and fell: by a quarter at least. Silent: seen in the last 90 days, and not in the last 14.";

/** Asks for the seven days up to yesterday, and the seven before. */
const weekOf = async (query: Query, workspace: string): Promise<Week> => {
  const { time_zone } = await ask<{ time_zone: string }>(query, "state", { workspace });
  const today = dayIn(time_zone, Date.now());
  const [from, to] = [later(today, -7), later(today, -1)];
  const { ranges } = readWhen({ span: "7d", from, to }, time_zone);
  const of = <Answer>(question: string, more: object) =>
    ask<Answer>(query, question, { workspace, ...ranges, ...more });
  const list = (question: string, show: string, sort: string, order = "desc") =>
    of<Listed>(question, { show, sort, order, limit: MOST, members: "false" });
  const [names, pages, contacts, accounts] = await Promise.all([
    of<Keys>("keys", { kind: "name", most: NAMES, series: 0 }),
    of<Sum>("keys", { kind: "path", most: 1, series: 0 }),
    of<Sum>("active", { of: "contact" }),
    of<Sum>("active", { of: "account" }),
  ]);
  const [rose, fell, silent, silentPeople] = await Promise.all([
    list("accounts", "all", "change"),
    list("accounts", "falling", "change", "asc"),
    list("accounts", "silent", "last_seen_on"),
    list("contacts", "silent", "last_seen_on"),
  ]);
  const at = (path: string, more = {}) => `${path}#${new URLSearchParams({ ...more, from, to })}`;
  const sum = (what: string, { total, before }: Sum): Row => [what, changed(total, before)];
  const section = (title: string, path: string, rows: Row[]) => ({ title, path, rows });
  const ofNames = (title: string, isOne: (one: Counted) => boolean) => {
    const all = names.data.filter(isOne).map((one) => ({ ...one, by: Math.abs(one.events - one.before) }));
    const rows = all
      .sort((a, b) => b.by - a.by)
      .map(({ key, events, before }): Row => [key, changed(events, before), at("/", { name: key })]);
    return section(title, at("/"), rows.slice(0, MOST));
  };
  const ofAccounts = (title: string, data: Listed["data"], more: object) => {
    const rows = data.map((one): Row => [one.name, changed(one.events, one.before), at(`/accounts/${one.id}`)]);
    return section(title, at("/accounts", more), rows);
  };
  const ofSilent = (what: string, path: string, { silent, data }: Listed) => {
    const rows = data.map((one): Row => [one.name, `last seen on ${one.last_seen_on}`, at(`${path}/${one.id}`)]);
    return section(`Silent ${what} (${silent})`, at(path, { show: "silent" }), rows);
  };
  return {
    title: `${workspace}: ${from} to ${to}`,
    sections: [
      section("The week", at("/"), [
        ...[sum("Events", names), sum("Page views", pages)],
        ...[sum("Active people", contacts), sum("Active accounts", accounts)],
      ]),
      ofNames("Events that rose", hasRisen),
      ofNames("Events that fell", hasFallen),
      ofNames("Events that stopped coming", ({ events }) => events === 0),
      ofAccounts("Accounts that rose", rose.data.filter(hasRisen), { sort: "change", order: "desc" }),
      ofAccounts("Accounts that fell", fell.data, { show: "falling" }),
      ofSilent("accounts", "/accounts", silent),
      ofSilent("people", "/contacts", silentPeople),
    ].filter(({ rows }) => rows.length > 0),
  };
};

const changed = (now: number, before: number): string =>
  `${now.toLocaleString("en")} (${before.toLocaleString("en")} the week before)`;
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
/** Of a name, which is a stranger's text, what a line of a mail may have. */
const inLine = (text: string): string => text.replace(/[\s\p{C}]+/gu, " ").slice(0, 120);

/** A message of two parts: a text to be read as it is, and HTML as base64, since lines of a mail have a greatest length. */
const toMail = ({ title, sections }: Week, to: string | undefined, url: string | undefined): string => {
  const linked = (text: string, path = "") =>
    url && path ? `<a href="${escaped(url + path)}">${escaped(text)}</a>` : escaped(text);
  const text = sections.map(({ title, path, rows }) =>
    [title, ...(url ? [url + path] : []), ...rows.map(([what, text]) => `  ${inLine(what)}: ${text}`), ""].join("\n"),
  );
  const cell = (html: string) => `<td style="padding:2px 16px 2px 0">${html}</td>`;
  const row = ([what, text, path]: Row) => `<tr>${cell(linked(inLine(what), path))}${cell(text)}</tr>`;
  const html = sections.map(
    ({ title, path, rows }) => `<h2>${linked(title, path)}</h2><table>${rows.map(row).join("\n")}</table>`,
  );
  const part = (type: string, encoding: string, body: string) =>
    `--part\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${body}\n`;
  const heads = [`Subject: ${title}`, ...(to === undefined ? [] : [`To: ${to}`]), "MIME-Version: 1.0"];
  const page = Buffer.from(`<h1>${escaped(title)}</h1><p>${RULES}</p>${html.join("\n")}`).toString("base64");
  const parts = [
    part("text/plain", "8bit", `${title}\n${RULES}\n\n${text.join("\n")}`),
    part("text/html", "base64", page.replace(/.{76}/g, "$&\n")),
  ];
  return `${heads.join("\n")}\nContent-Type: multipart/alternative; boundary=part\n\n${parts.join("")}--part--\n`;
};
