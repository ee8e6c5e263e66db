/** How the label of a step is written, by scale. */
export const FORMATS = {
  seconds: new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }),
  minutes: new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hour12: false }),
};

export const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Whatever has no colour of its own becomes one series: a thousand names would be a legend of a thousand lines. */
export const gather = ({ times, names, values }, colours) => {
  const own = names.flatMap((name, index) => (colours.has(name) ? [index] : []));
  const others = names.flatMap((name, index) => (colours.has(name) ? [] : [index]));
  const gathered = { times, names: own.map((index) => names[index]), values: own.map((index) => values[index]) };
  if (others.length === 0) return gathered;
  gathered.names.push(`${others.length} more`);
  gathered.values.push(times.map((_, step) => sum(others.map((index) => values[index][step]))));
  return gathered;
};
