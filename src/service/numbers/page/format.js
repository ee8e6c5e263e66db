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

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });
export const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** How the steps of a span are told: short beside an axis, long in a table. */
export const stepFormat = (span) => ({
  short: (time) => (span === "24h" ? clock : day).format(time),
  long: (time) => (span === "24h" ? clock : weekday).format(time),
});

export const number = (value) => value.toLocaleString();
export const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
/** The least that is told, and not as 0 %. */
const LEAST = 0.001;
export const share = (part, all) => {
  if (all === 0) return "–";
  return part > 0 && part / all < LEAST ? `< ${percent.format(LEAST)}` : percent.format(part / all);
};

/** A time in few characters. */
export const brief = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });
