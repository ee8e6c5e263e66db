const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });
const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/** A time as so long ago, in the largest unit of which it has one. */
export const since = (time, now = Date.now()) => {
  const passed = Math.max(0, now - time);
  const [unit, length] = UNITS.find(([, length]) => passed >= length) ?? UNITS.at(-1);
  return ago.format(-Math.floor(passed / length), unit);
};

/** A day as so many days ago. @param {string} day as `2026-01-31` */
export const sinceDay = (day) => {
  const today = new Date().toLocaleDateString("sv");
  return ago.format(Math.round((Date.parse(day) - Date.parse(today)) / 86_400_000), "day");
};

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });
/** A day with its year. */
export const date = new Intl.DateTimeFormat(undefined, {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});
export const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
export const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
export const dayOfWeek = weekday;

/** Do the steps that begin so go by the hour? */
export const isByHour = (starts) => starts.length > 1 && starts[1] - starts[0] <= 3_600_000;

/** How steps are told: short beside an axis, long in a table. */
export const stepFormat = (starts) => ({
  short: (time) => (isByHour(starts) ? clock : day).format(time),
  long: (time) => (isByHour(starts) ? clock : weekday).format(time),
});

export const number = (value) => value.toLocaleString();
export const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const signed = new Intl.NumberFormat(undefined, {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});
/** The least that is told, and not as 0 %. */
const LEAST = 0.001;
export const share = (part, all) => {
  if (all === 0) return "–";
  return part > 0 && part / all < LEAST ? `< ${percent.format(LEAST)}` : percent.format(part / all);
};

/** How a figure stands against the one of the time before. */
export const change = (now, before) => {
  if (before === 0) return now === 0 ? "" : "new";
  return signed.format((now - before) / before);
};
/** The same, with the figure. */
export const against = (now, before) => {
  if (before === 0) return now === 0 ? "" : "none before";
  return `${change(now, before)} · ${number(before)} before`;
};

/** A time in few characters. */
export const brief = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });
