import { type Command, Option } from "commander";
import { changeOf } from "../../shared/change.js";
import { isNoOne, NO_ONE } from "../../shared/no-one.js";
import { DEFAULT_WORKSPACE } from "../base/exact-text.js";
import type { Query } from "../database/database.js";
import { dayIn, later, readWhen } from "../days/calendar.js";
import { ask } from "../numbers/questions.js";
import type { Commands } from "./context.js";

const MOST = 10;
/** Names of events that are compared, as many as a day keeps, and accounts or people to call. */
const MANY = 2_000;
/** Names in the sentence that tells whom to call. */
const CALLS = 3;

export const addReportCommand = ({ program, config, workspace, read, write }: Commands) =>
  program
    .command("report")
    .description(
      "writes a mail, as HTML and as text: whom to call, who is new, what rose and fell, and what stopped coming",
    )
    .addOption(new Option("--week", "of the seven days up to yesterday").makeOptionMandatory())
    .option("--to <address>", "whom it is for, as sendmail -t reads it")
    .addOption(workspace())
    .action(({ to, workspace }: { to?: string; workspace: string }, command: Command) => {
      if (to !== undefined && /[^\x21-\x7e]/.test(to)) command.error("--to must be an address");
      const { publicUrl } = config;
      const named = workspace === DEFAULT_WORKSPACE ? [] : [workspace];
      const site = [...named, ...(publicUrl ? [new URL(publicUrl).host] : [])].join(" at ");
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
type Somebody = Counted &
  Record<"id" | "unique_id" | "name" | "last_seen_on", string> & {
    silent: boolean;
    accounts?: { unique_id: string; name: string }[];
  };
type Listed = Record<"new" | "call", number> & { data: Somebody[] };
interface Sum {
  total: number;
  before: number;
}
interface Keys extends Sum {
  data: (Counted & { key: string })[];
}

/** What a mail tells, where the pages show it, and what it was the week before, where there was one. */
interface Row {
  what: string;
  told: string;
  path?: string;
  change?: string;
  before?: string;
}
interface Week {
  title: string;
  summary: string;
  rules: string;
  sections: { title: string; path: string; rows: Row[] }[];
}

const RULES =
  "Seven days up to yesterday, against the seven before. Rose and fell: at least 25 % and two events more, or fewer, than the week before. Silent: seen in the last 90 days, but not in the last 14. To call: those that fell or are silent, who lost most events first, then who was seen last.";

/** Asks for the seven days up to yesterday, and the seven before. @param site whose week it is, where it is told */
const weekOf = async (query: Query, workspace: string, site: string): Promise<Week> => {
  const { time_zone, first_on } = await ask<State>(query, "state", { workspace });
  const today = dayIn(time_zone, Date.now());
  const [from, to] = [later(today, -7), later(today, -1)];
  const hasBefore = first_on === null || first_on < from;
  const against = (now: number, before: number) =>
    hasBefore
      ? { change: changeOf(now, before), before: before > 0 ? `${before.toLocaleString("en")} the week before` : "" }
      : {};
  const eventsOf = (what: string, { events, before }: Counted, path: string): Row => {
    const told = `${events.toLocaleString("en")} ${events === 1 ? "event" : "events"}`;
    return { what, told, path, ...against(events, before) };
  };
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
  /** Nobody calls a placeholder. */
  const toCall = async (question: string): Promise<Listed> => {
    const { data: all, ...listed } = await list(question, "call", "change", "asc", MANY);
    const data = all.filter((one) => !isPlaceholder(one));
    return { ...listed, call: listed.call - (all.length - data.length), data };
  };
  const [fresh, rose, accountsToCall, peopleToCall] = await Promise.all([
    list("accounts", "new", "events"),
    list("accounts", "rising", "change"),
    toCall("accounts"),
    toCall("contacts"),
  ]);
  const at = (path: string, more = {}) => `${path}#${new URLSearchParams({ ...more, from, to })}`;
  const sum = (what: string, { total, before }: Sum): Row => ({
    what,
    told: total.toLocaleString("en"),
    ...against(total, before),
  });
  const section = (title: string, path: string, rows: Row[]) => ({ title, path, rows: rows.slice(0, MOST) });
  const ofNames = (title: string, isOne: (one: Counted) => boolean) => {
    const all = names.data.filter(isOne).map((one) => ({ ...one, by: Math.abs(one.events - one.before) }));
    const rows = all.sort((a, b) => b.by - a.by).map((one) => eventsOf(one.key, one, at("/", { name: one.key })));
    return section(title, at("/"), rows);
  };
  const ofList = (title: string, { data }: Listed, path: string, show: string) => {
    const rows = data.map((one): Row => {
      const [what, own] = [nameOf(one), at(`${path}/${one.id}`)];
      return one.silent
        ? { what, told: `silent since ${dayOf(one.last_seen_on)}`, path: own }
        : eventsOf(what, one, own);
    });
    return section(title, at(path, { show }), rows);
  };
  const [events, people] = [sum("Events", names), sum("Active people", contacts)];
  const short = ({ told, change }: Row, unit: string) => `${told} ${unit}${change ? ` (${change})` : ""}`;
  // Who was silent a week before is no news.
  const calls = [...accountsToCall.data, ...peopleToCall.data].filter(
    ({ last_seen_on }) => last_seen_on >= later(from, -14),
  );
  const more = calls.length > CALLS ? [`${calls.length - CALLS} more`] : [];
  const called = new Intl.ListFormat("en").format([...calls.slice(0, CALLS).map(nameOf).map(inLine), ...more]);
  const call = called ? `a call may win back ${called}, who fell or went silent.` : "nobody fell or went silent.";
  const days = `week from ${dayOf(from)} to ${dayOf(to)}`;
  return {
    title: site ? `${site}: the ${days}` : `The ${days}`,
    summary: `${short(events, "events")} by ${short(people, "people")}${hasBefore ? ", against the week before" : ""}; ${call}`,
    rules: hasBefore ? RULES : `${RULES} Nothing to compare with: the first event is of ${dayOf(first_on)}.`,
    sections: [
      ofList(`Accounts to call (${accountsToCall.call})`, accountsToCall, "/accounts", "call"),
      ofList(`People to call (${peopleToCall.call})`, peopleToCall, "/contacts", "call"),
      section("The week", at("/"), [events, sum("Page views", pages), people, sum("Active accounts", accounts)]),
      ofNames("Events that rose", ({ trend }) => trend === "rising"),
      ofNames("Events that fell", ({ trend, events }) => trend === "falling" && events > 0),
      ofNames("Events that stopped coming", ({ trend, events }) => trend === "falling" && events === 0),
      ofList(`New accounts (${fresh.new})`, fresh, "/accounts", "new"),
      ofList("Accounts that rose", rose, "/accounts", "rising"),
    ].filter(({ rows }) => rows.length > 0),
  };
};

/** Is it none, or of none alone? */
const isPlaceholder = ({ unique_id, accounts = [] }: Somebody): boolean =>
  isNoOne(unique_id) || (accounts.length > 0 && accounts.every((one) => isNoOne(one.unique_id)));
/** With what they are: whose people, or of nobody. */
const nameOf = ({ name, unique_id, accounts = [] }: Somebody): string => {
  const whose = isNoOne(unique_id) ? NO_ONE : accounts.map((one) => one.name).join(", ");
  return whose ? `${name} (${whose})` : name;
};
const dayOf = (day: string): string =>
  new Date(day).toLocaleDateString("en", { month: "short", day: "numeric", timeZone: "UTC" });
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
/** Of a name, which is a stranger's text, what a line of a mail may have. */
const inLine = (text: string): string => text.replace(/[\s\p{C}]+/gu, " ").slice(0, 120);

const GROUND = { rose: "#dff3e6;color:#0b5a30", fell: "#fde3e1;color:#9c1c16", same: "#eeeeee;color:#444444" };
/** With a ground of its own, since that of a mail is light or dark as its reader likes. */
const marked = (change: string): string => {
  const ground = GROUND[change.startsWith("-") ? "fell" : change === "0%" ? "same" : "rose"];
  return `<b style="background:${ground};padding:1px 6px;border-radius:8px">${change}</b>`;
};

/** A message of two parts: a text to be read as it is, and HTML as base64, since lines of a mail have a greatest length. */
const toMail = (week: Week, to: string | undefined, url: string | undefined): string => {
  const linked = (text: string, path = "") =>
    url && path ? `<a style="color:inherit" href="${escaped(url + path)}">${escaped(text)}</a>` : escaped(text);
  const line = ({ what, told, change, before }: Row) => {
    const against = [change, before].filter(Boolean).join(", ");
    return `  ${inLine(what)}: ${told}${against && ` (${against})`}`;
  };
  const text = week.sections.map(({ title, path, rows }) =>
    [title, ...(url ? [url + path] : []), ...rows.map(line), ""].join("\n"),
  );
  const cell = (html: string, style: string) =>
    `<td style="padding:4px 0;border-top:1px solid #888;${style}">${html}</td>`;
  const row = ({ what, told, path, change, before }: Row) =>
    `<tr>${cell(linked(inLine(what), path), "word-break:break-word")}${cell(
      `${told}${change ? ` ${marked(change)}` : ""}${before ? `<br><small>${before}</small>` : ""}`,
      "padding-left:16px;text-align:right",
    )}</tr>`;
  const html = week.sections.map(
    ({ title, path, rows }) =>
      `<h2 style="font-size:18px;margin:24px 0 4px">${linked(title, path)}</h2><table style="width:100%;border-collapse:collapse">${rows.map(row).join("\n")}</table>`,
  );
  const part = (type: string, encoding: string, body: string) =>
    `--part\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${body}\n`;
  const heads = [`Subject: ${week.title}`, ...(to === undefined ? [] : [`To: ${to}`]), "MIME-Version: 1.0"];
  const page = Buffer.from(
    `<div style="max-width:600px;font:15px/1.4 sans-serif"><h1 style="font-size:22px">${escaped(week.title)}</h1><p style="font-size:17px">${escaped(week.summary)}</p>${html.join("\n")}<p><small>${week.rules}</small></p></div>`,
  ).toString("base64");
  const parts = [
    part("text/plain", "8bit", `${week.title}\n${week.summary}\n\n${text.join("\n")}\n${week.rules}`),
    part("text/html", "base64", page.replace(/.{76}/g, "$&\n")),
  ];
  return `${heads.join("\n")}\nContent-Type: multipart/alternative; boundary=part\n\n${parts.join("")}--part--\n`;
};
