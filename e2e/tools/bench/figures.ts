import { median } from "../../../test/support/median.js";

/** What one round measured: the tracker's figure and the bare one's, in the same unit. */
export interface Pair {
  ours: number;
  bare: number;
}

/** Fewer rounds are no median, more add nothing. */
const LEAST = 3;
const MOST = 9;

/** Runs rounds one after the other for about `seconds`, so that a slow or busy machine does fewer of them. */
export const repeat = async (seconds: number, round: () => Promise<void>): Promise<void> => {
  const end = performance.now() + seconds * 1_000;
  for (let done = 0; done < LEAST || (done < MOST && performance.now() < end); done++) await round();
};

export interface Comparison {
  what: string;
  unit: "µs" | "ms";
  rounds: Pair[];
  /** The ratio that is aimed at; nothing fails when it is missed. */
  target?: number;
}

const HEAD = ["", "tracklet", "bare", "ratio", "min–max", "rounds", "target"];

/** Columns of plain text: the first to the left, figures to the right. */
const table = (rows: string[][]): string => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    row.map((cell, column) => (column ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
};

/** One line a comparison: medians over the rounds, and as noise the least and the greatest ratio of a round. */
export const comparisonTable = (comparisons: Comparison[]): string =>
  table([
    HEAD,
    ...comparisons.map(({ what, unit, rounds, target }) => {
      const amount = (side: keyof Pair) => {
        const value = median(rounds.map((pair) => pair[side]));
        return `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`;
      };
      // Within each round, where both met the same load of the machine.
      const ratios = rounds.map(({ ours, bare }) => ours / bare);
      return [
        what,
        amount("ours"),
        amount("bare"),
        median(ratios).toFixed(2),
        `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
        `${rounds.length}`,
        target === undefined ? "" : `≤ ${target}`,
      ];
    }),
  ]);
