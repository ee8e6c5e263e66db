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

/** What is told of a comparison: medians over the rounds, and as noise the least and the greatest ratio of a round. */
export const toldOf = ({ unit, rounds, target }: Comparison) => {
  const amount = (side: keyof Pair) => {
    const value = median(rounds.map((pair) => pair[side]));
    return `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`;
  };
  // Within each round, where both met the same load of the machine.
  const ratios = rounds.map(({ ours, bare }) => ours / bare);
  return {
    tracklet: amount("ours"),
    bare: amount("bare"),
    ratio: median(ratios).toFixed(2),
    target,
    least: Math.min(...ratios).toFixed(2),
    most: Math.max(...ratios).toFixed(2),
    rounds: rounds.length,
  };
};
