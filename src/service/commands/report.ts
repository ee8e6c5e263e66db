import { type Command, Option } from "commander";
import { isNoOne, NO_ONE } from "../../shared/no-one.js";
import { DEFAULT_WORKSPACE } from "../base/exact-text.js";
import type { Query } from "../database/database.js";
import { dayIn, later } from "../days/zone.js";
import { ask } from "../numbers/questions.js";
import { readWhen } from "../numbers/spans.js";
import type { Commands } from "./context.js";

const MOST = 10;
/** Names of events that are compared, as many as a day keeps, and silent accounts or people. */
const MANY = 2_000;

export const addReportCommand = ({ program, config, workspace, read, write }: Commands) =>
  program
    .command("report")
    .description(
      "writes a mail, as HTML and as text: who is new, what rose and fell, who went silent, and what stopped coming",
    )
    .addOption(new Option("--week", "of the seven days up to yesterday").makeOptionMandatory())
    .option("--to <address>", "whom it is for, as sendmail -t reads it")
    .addOption(workspace())
    .action(({ to, workspace }: { to?: string; workspace: string }, command: Command) => {
      if (to !== undefined && /[^\x21-\x7e]/.test(to)) command.error("--to must be an address");
      const { publicUrl } = config;
      const named = workspace === DEFAULT_WORKSPACE ? [] : [workspace];
      const site = [...named, ...(publicUrl ? [new URL(publicUrl).host] : [])].join(" at ") || workspace;
      return read(async (query) => write([toMail(await weekOf(query, workspace, site), to, publicUrl)]));
    });

interface Counted {
  events: number;
  before: number;
  trend: "rising" | "falling" | null;
}
interface State {
  time_zone: string;
  first_on: string | null;
}
type Listed = Record<"new" | "silent", number> & {
  data: (Counted & Record<"id" | "unique_id" | "name" | "last_seen_on", string> & { accounts?: { name: string }[] })[];
};
interface Sum {
  total: number;
  before: number;
}
interface Keys extends Sum {
  data: (Counted & { key: string })[];
}

/** What a mail tells, and where the pages show it. */
type Row = readonly [what: string, text: string, path?: string];
interface Week {
  title: string;
  rules: string;
  sections: { title: string; path: string; rows: Row[] }[];
}

const RULES =
  "Seven days up to yesterday, against the seven before. Rose and fell: at least 25 % and two events more, or fewer, than the week before. Silent: seen in the last 90 days, and not in the last 14; since this week: not so a week ago.";

/** Asks for the seven days up to yesterday, and the seven before. @param site whose week it is */
const weekOf = async (query: Query, workspace: string, site: string): Promise<Week> => {
  const { time_zone, first_on } = await ask<State>(query, "state", { workspace });
  const today = dayIn(time_zone, Date.now());
  const [from, to] = [later(today, -7), later(today, -1)];
  const hasBefore = first_on === null || first_on < from;
  const changed = (now: number, before: number, unit = ""): string =>
    `${now.toLocaleString("en")}${unit}${hasBefore ? ` (${before.toLocaleString("en")} the week before)` : ""}`;
  const eventsOf = (now: number, before: number): string => changed(now, before, now === 1 ? " event" : " events");
  const { ranges } = readWhen({ span: "7d", from, to }, time_zone);
  const of = <Answer>(question: string, more: object) =>
    ask<Answer>(query, question, { workspace, ...ranges, ...more });
  const list = (question: string, show: string, sort: string, order = "desc", limit = MOST) =>
    of<Listed>(question, { show, sort, order, limit, members: "false" });
  const [names, pages, contacts, accounts] = await Promise.all([
    of<Keys>("keys", { kind: "name", most: MANY, series: 0 }),
    of<Sum>("keys", { kind: "path", most: 1, series: 0 }),
    of<Sum>("active", { of: "contact" }),
    of<Sum>("active", { of: "account" }),
  ]);
  const [fresh, rose, fell, silent, silentPeople] = await Promise.all([
    list("accounts", "new", "events"),
    list("accounts", "rising", "change"),
    list("accounts", "falling", "change", "asc"),
    list("accounts", "silent", "last_seen_on", "desc", MANY),
    list("contacts", "silent", "last_seen_on", "desc", MANY),
  ]);
  const at = (path: string, more = {}) => `${path}#${new URLSearchParams({ ...more, from, to })}`;
  const sum = (what: string, { total, before }: Sum): Row => [what, changed(total, before)];
  const section = (title: string, path: string, rows: Row[]) => ({ title, path, rows: rows.slice(0, MOST) });
  const ofNames = (title: string, isOne: (one: Counted) => boolean) => {
    const all = names.data.filter(isOne).map((one) => ({ ...one, by: Math.abs(one.events - one.before) }));
    const rows = all
      .sort((a, b) => b.by - a.by)
      .map(({ key, events, before }): Row => [key, eventsOf(events, before), at("/", { name: key })]);
    return section(title, at("/"), rows);
  };
  const ofAccounts = (title: string, { data }: Listed, show: string) => {
    const rows = data.map((one): Row => [nameOf(one), eventsOf(one.events, one.before), at(`/accounts/${one.id}`)]);
    return section(title, at("/accounts", { show }), rows);
  };
  /** Those of whom it was not so a week before first. */
  const ofSilent = (what: string, path: string, { silent, data }: Listed) => {
    const since = data.filter((one) => one.last_seen_on >= later(from, -14));
    const told = (title: string, amount: number, some: Listed["data"]) => {
      const rows = some.map(({ last_seen_on, accounts = [], ...one }): Row => {
        const whose = accounts.length > 0 ? ` (${accounts.map((one) => one.name).join(", ")})` : "";
        return [nameOf(one) + whose, `last seen on ${dayOf(last_seen_on)}`, at(`${path}/${one.id}`)];
      });
      return section(`${title} (${amount})`, at(path, { show: "silent" }), rows);
    };
    return [
      told(`${what} silent since this week`, since.length, since),
      told(`${what} silent for longer`, silent - since.length, data.slice(since.length)),
    ];
  };
  return {
    title: `${site}: the week from ${dayOf(from)} to ${dayOf(to)}`,
    rules: hasBefore ? RULES : `${RULES} Nothing to compare with: the first event is of ${dayOf(first_on)}.`,
    sections: [
      section("The week", at("/"), [
        sum("Events", names),
        sum("Page views", pages),
        sum("Active people", contacts),
        sum("Active accounts", accounts),
      ]),
      ofNames("Events that rose", ({ trend }) => hasBefore && trend === "rising"),
      ofNames("Events that fell", ({ trend, events }) => trend === "falling" && events > 0),
      ofNames("Events that stopped coming", ({ trend, events }) => trend === "falling" && events === 0),
      ofAccounts(`New accounts (${fresh.new})`, fresh, "new"),
      ofAccounts("Accounts that rose", hasBefore ? rose : { ...rose, data: [] }, "rising"),
      ofAccounts("Accounts that fell", fell, "falling"),
      ...ofSilent("Accounts", "/accounts", silent),
      ...ofSilent("People", "/contacts", silentPeople),
    ].filter(({ rows }) => rows.length > 0),
  };
};

const nameOf = ({ name, unique_id }: { name: string; unique_id: string }): string =>
  isNoOne(unique_id) ? `${name} (${NO_ONE})` : name;
const dayOf = (day: string): string =>
  new Date(day).toLocaleDateString("en", { month: "short", day: "numeric", timeZone: "UTC" });
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
/** Of a name, which is a stranger's text, what a line of a mail may have. */
const inLine = (text: string): string => text.replace(/[\s\p{C}]+/gu, " ").slice(0, 120);

/** A message of two parts: a text to be read as it is, and HTML as base64, since lines of a mail have a greatest length. */
const toMail = ({ title, rules, sections }: Week, to: string | undefined, url: string | undefined): string => {
  const linked = (text: string, path = "") =>
    url && path ? `<a href="${escaped(url + path)}">${escaped(text)}</a>` : escaped(text);
  const text = sections.map(({ title, path, rows }) =>
    [title, ...(url ? [url + path] : []), ...rows.map(([what, text]) => `  ${inLine(what)}: ${text}`), ""].join("\n"),
  );
  const cell = (html: string, style: string) =>
    `<td style="padding:4px 0;border-top:1px solid #ddd;${style}">${html}</td>`;
  const row = ([what, text, path]: Row) =>
    `<tr>${cell(linked(inLine(what), path), "word-break:break-word")}${cell(text, "padding-left:16px;text-align:right")}</tr>`;
  const html = sections.map(
    ({ title, path, rows }) =>
      `<h2 style="font-size:18px;margin:24px 0 4px">${linked(title, path)}</h2><table style="width:100%;border-collapse:collapse">${rows.map(row).join("\n")}</table>`,
  );
  const part = (type: string, encoding: string, body: string) =>
    `--part\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${body}\n`;
  const heads = [`Subject: ${title}`, ...(to === undefined ? [] : [`To: ${to}`]), "MIME-Version: 1.0"];
  const page = Buffer.from(
    `<div style="max-width:600px;font:15px/1.4 sans-serif"><h1 style="font-size:22px">${escaped(title)}</h1><p>${rules}</p>${html.join("\n")}</div>`,
  ).toString("base64");
  const parts = [
    part("text/plain", "8bit", `${title}\n${rules}\n\n${text.join("\n")}`),
    part("text/html", "base64", page.replace(/.{76}/g, "$&\n")),
  ];
  return `${heads.join("\n")}\nContent-Type: multipart/alternative; boundary=part\n\n${parts.join("")}--part--\n`;
};
