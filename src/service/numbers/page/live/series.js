/** How the label of a step is written, by scale. */
export const FORMATS = {
  seconds: new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }),
  minutes: new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hour12: false }),
};

export const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Whatever has no colour of its own becomes one series: a thousand names would be a legend of a thousand lines. */
export const gather = ({ names, happened, arrived, ...rest }, colours) => {
  const own = names.flatMap((name, index) => (colours.has(name) ? [index] : []));
  const others = names.flatMap((name, index) => (colours.has(name) ? [] : [index]));
  const values = (lane) => {
    const together = rest.times.map((_, step) => sum(others.map((index) => lane[index][step])));
    return [...own.map((index) => lane[index]), ...(others.length > 0 ? [together] : [])];
  };
  return {
    ...rest,
    names: [...own.map((index) => names[index]), ...(others.length > 0 ? [`${others.length} more`] : [])],
    happened: values(happened),
    arrived: values(arrived),
  };
};
