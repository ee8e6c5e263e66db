const { format } = new Intl.NumberFormat("en", {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});

/** How a figure stands against the one before, in per cent; of nothing no per cent can be told. */
export const changeOf = (now: number, before: number): string =>
  before > 0 ? format(now / before - 1) : now > 0 ? "new" : "";
