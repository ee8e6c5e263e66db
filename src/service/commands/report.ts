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
    .option("--url <address>", "where the pages are, for links to them: https://track.example.com")
    .addOption(workspace())
    .action(({ to, url, workspace }: { to?: string; url?: string; workspace: string }, command: Command) => {
      if (to !== undefined && /[^\x21-\x7e]/.test(to)) command.error("--to must be an address");
      if (url !== undefined && !/^https?:\/\/[\x21-\x7e]+$/.test(url)) command.error("--url must be a URL");
      return reading(async (query) => write([toMail(await weekOf(query, workspace), { to, url })]));
    });

interface Counted {
  events: number;
  before: number;
}
interface Listed {
  silent: number;
  data: (Counted & { id: string; name: string; last_seen_on: string })[];
}
interface Keys extends Omit<Counted, "events"> {
  total: number;
  data: (Counted & { key: string })[];
}

/** What a mail tells: sections, and in each what the pages show at a path. */
interface Section {
  title: string;
  path: string;
  rows: [what: string, text: string, path?: string][];
}
interface Week {
  title: string;
  sections: Section[];
}

/** As on the pages, one falls, or rises, by a quarter at least. */
const hasRisen = ({ events, before }: Counted) => events > 0 && 4 * events >= 5 * before;
const hasFallen = ({ events, before }: Counted) => events > 0 && 4 * events <= 3 * before;

const told = (now: number, before: number): string =>
  `${now.toLocaleString("en")} (${before.toLocaleString("en")} the week before)`;

/** Asks for the seven days up to yesterday, and the seven before. */
const weekOf = async (query: Query, workspace: string): Promise<Week> => {
  const { time_zone } = await ask<{ time_zone: string }>(query, "state", { workspace });
  const today = dayIn(time_zone, Date.now());
  const [from, to] = [later(today, -7), later(today, -1)];
  const { ranges } = readWhen({ span: "7d", from, to }, time_zone);
  const of = <Answer>(question: string, more: object = {}) =>
    ask<Answer>(query, question, { workspace, ...ranges, ...more });
  const list = (question: string, show: string, [sort, order]: [string, string]) =>
    of<Listed>(question, { show, sort, order, limit: MOST, members: "false" });
  const [names, pages, contacts, accounts] = await Promise.all([
    of<Keys>("keys", { kind: "name", most: NAMES, series: 0 }),
    of<Keys>("keys", { kind: "path", most: 1, series: 0 }),
    of<Keys>("active", { of: "contact" }),
    of<Keys>("active", { of: "account" }),
  ]);
  const [rose, fell, silent, silentPeople] = await Promise.all([
    list("accounts", "all", ["change", "desc"]),
    list("accounts", "falling", ["change", "asc"]),
    list("accounts", "silent", ["last_seen_on", "desc"]),
    list("contacts", "silent", ["last_seen_on", "desc"]),
  ]);
  const at = (path: string, more: Record<string, string> = {}) =>
    `${path}#${new URLSearchParams({ ...more, from, to })}`;
  const byChange = (of: (one: Counted) => boolean) =>
    names.data
      .filter(of)
      .sort((a, b) => Math.abs(b.events - b.before) - Math.abs(a.events - a.before))
      .map(({ key, events, before }): Section["rows"][number] => [key, told(events, before), at("/", { name: key })]);
  const changed = ({ data }: Listed) =>
    data.map(({ id, name, ...one }): Section["rows"][number] => [
      ...([name, told(one.events, one.before), at(`/accounts/${id}`)] as const),
    ]);
  const seen = ({ data }: Listed, kind: string) =>
    data.map(({ id, name, last_seen_on }): Section["rows"][number] => [
      ...([name, `last seen on ${last_seen_on}`, at(`/${kind}/${id}`)] as const),
    ]);
  const sums = { Events: names, "Page views": pages, "Active people": contacts, "Active accounts": accounts };
  const [all, silence] = [at("/"), { show: "silent" }];
  return {
    title: `${workspace}: ${from} to ${to}`,
    sections: [
      {
        ...{ title: "The week", path: all },
        rows: Object.entries(sums).map(([what, { total, before }]) => [what, told(total, before)]),
      },
      { title: "Events that rose", path: all, rows: byChange(hasRisen) },
      { title: "Events that fell", path: all, rows: byChange(hasFallen) },
      { title: "Events that stopped coming", path: all, rows: byChange(({ events }) => events === 0) },
      {
        ...{ title: "Accounts that rose", path: at("/accounts", { sort: "change", order: "desc" }) },
        rows: changed({ ...rose, data: rose.data.filter(hasRisen) }),
      },
      { title: "Accounts that fell", path: at("/accounts", { show: "falling" }), rows: changed(fell) },
      { title: `Silent accounts (${silent.silent})`, path: at("/accounts", silence), rows: seen(silent, "accounts") },
      {
        ...{ title: `Silent people (${silentPeople.silent})`, path: at("/contacts", silence) },
        rows: seen(silentPeople, "contacts"),
      },
    ],
  };
};

const RULES =
  "Seven days up to yesterday, against the seven before. Rose and fell: by a quarter at least. Silent: seen in the last 90 days, and not in the last 14.";

/** Characters of a name. */
const LONG = 120;
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

/** A message of two parts: a text to be read as it is, and HTML, whose lines are longer than a mail may have. */
const toMail = (
  { title, sections }: Week,
  { to, url }: { to: string | undefined; url: string | undefined },
): string => {
  const shown = sections
    .filter(({ rows }) => rows.length > 0)
    .map(({ rows, ...section }) => ({
      ...section,
      // A name is a stranger's text, and no line of a mail.
      rows: rows.slice(0, MOST).map(([what, ...row]) => [what.replace(/\s+/g, " ").slice(0, LONG), ...row] as const),
    }));
  const address = (path: string) => `${url?.replace(/\/$/, "")}${path}`;
  const linked = (text: string, path: string | undefined) =>
    url === undefined || path === undefined
      ? escaped(text)
      : `<a href="${escaped(address(path))}">${escaped(text)}</a>`;
  const text = shown.flatMap(({ title, path, rows }) => [
    ...[title, ...(url === undefined ? [] : [address(path)]), ...rows.map(([what, text]) => `  ${what}: ${text}`), ""],
  ]);
  const cell = (html: string) => `<td style="padding:2px 16px 2px 0">${html}</td>`;
  const html = shown.map(
    ({ title, path, rows }) =>
      `<h2>${linked(title, path)}</h2><table>${rows.map(([what, text, path]) => `<tr>${cell(linked(what, path))}${cell(escaped(text))}</tr>`).join("\n")}</table>`,
  );
  const part = (type: string, encoding: string, body: string) =>
    `--part\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${body}\n`;
  const heads = [`Subject: ${title}`, ...(to === undefined ? [] : [`To: ${to}`]), "MIME-Version: 1.0"];
  const page = `<h1>${escaped(title)}</h1><p>${RULES}</p>${html.join("\n")}`;
  return [
    ...[...heads, "Content-Type: multipart/alternative; boundary=part\n"],
    part("text/plain", "8bit", [title, RULES, "", ...text].join("\n")) +
      part("text/html", "base64", Buffer.from(page).toString("base64").replace(/.{76}/g, "$&\n")),
    "--part--\n",
  ].join("\n");
};
