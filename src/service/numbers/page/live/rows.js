import { happenedAt, MAX_ROWS } from "./model.js";

/** Characters of a value, and members of params, that a row shows. */
const MAX_VALUE = 160;
const MAX_MEMBERS = 12;

/** New rows are marked when they are this few; among more the eye finds nothing, and a mark costs paint. */
const MAX_MARKED = 5;

/** Seconds from happening to arriving that are worth a word. */
const LATE_S = 2;

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hour12: false,
});

/** An element with text or elements in it; text is never parsed as HTML. */
const element = (tag, className, ...content) => {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...content);
  return made;
};

/** Roles of a table, said aloud: on a phone the stylesheet lays the rows out as cards, and some browsers then forget them. */
const ROLES = { thead: "rowgroup", tbody: "rowgroup", tr: "row", th: "columnheader" };

const cell = (...content) => {
  const made = element("td", "", ...content);
  made.setAttribute("role", "cell");
  return made;
};

const cut = (text, length) => (text.length > length ? `${text.slice(0, length)}…` : text);

/** The name where it is known, and the uid. */
const named = (uid, names) => {
  if (typeof uid !== "string" || uid === "") return ["–"];
  return names.has(uid) ? [names.get(uid), element("small", "", cut(uid, MAX_VALUE))] : [cut(uid, MAX_VALUE)];
};

/** Members of params that a row shows in other columns, or that are for the service alone. */
const ELSEWHERE = new Set(["account_uid", "occurred_at", "event_id"]);

const paramsList = (params) => {
  const members = Object.entries(params ?? {}).filter(([name]) => !ELSEWHERE.has(name));
  if (members.length === 0) return "–";
  const items = members.slice(0, MAX_MEMBERS).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return element("li", "", element("i", "", `${cut(name, MAX_VALUE)}: `), cut(text, MAX_VALUE));
  });
  if (members.length > MAX_MEMBERS)
    items.push(element("li", "", element("i", "", `+ ${members.length - MAX_MEMBERS}`)));
  return element("ul", "params", ...items);
};

/** The table of the latest arrivals, newest first. */
export const createRows = (body, colours) => {
  const table = body.closest("table");
  table.setAttribute("role", "table");
  for (const [tag, role] of Object.entries(ROLES)) {
    for (const part of table.querySelectorAll(tag)) part.setAttribute("role", role);
  }

  const makeTime = (at) => {
    const time = element("time", "", clock.format(at));
    time.dateTime = new Date(at).toISOString();
    return time;
  };

  const makeRow = (event, names, isMarked) => {
    const { received_at: arrived } = event;
    const happened = happenedAt(event);
    const late = Math.round((arrived - happened) / 1_000);
    const swatch = element("i", "swatch");
    swatch.style.setProperty("--colour", `var(${colours.property(event.event_uid)})`);
    const row = element(
      "tr",
      isMarked ? "fresh" : "",
      cell(happened === undefined ? "–" : makeTime(happened)),
      cell(makeTime(arrived), ...(late >= LATE_S ? [element("small", "late", `after ${late} s`)] : [])),
      cell(
        ...named(event.contact_uid, names.contacts),
        // Where the service looks at proofs of identity.
        ...(event.proven === undefined ? [] : [element("small", "", event.proven ? "proven" : "not proven")]),
      ),
      cell(...named(event.params?.account_uid, names.accounts)),
      cell(element("div", "event", swatch, element("span", "event-name", cut(event.event_uid, MAX_VALUE)))),
      cell(paramsList(event.params)),
    );
    row.setAttribute("role", "row");
    row.dataset.id = event.id;
    return row;
  };

  return {
    /** Adds events, oldest first; true when the table has rows. */
    add(events, names) {
      const isMarked = events.length <= MAX_MARKED;
      body.prepend(...events.map((event) => makeRow(event, names, isMarked)).reverse());
      while (body.children.length > MAX_ROWS) body.lastChild.remove();
      return body.children.length > 0;
    },
  };
};
