const { format } = new Intl.NumberFormat("en", { signDisplay: "exceptZero" });

/** How a figure stands against the one before, in whole per cent; of nothing no per cent can be told. */
export const percentOf = (now: number, before: number): number | null =>
  before > 0 ? Math.round((100 * (now - before)) / before) : null;

/** The same in words. */
export const changeOf = (now: number, before: number): string => {
  const percent = percentOf(now, before);
  return percent !== null ? `${format(percent)}%` : now > 0 ? "0 before" : "";
};
