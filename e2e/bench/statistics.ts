/** The smallest step of `performance.now()` in a cross-origin isolated page, in milliseconds. */
const CLOCK_STEP_MS = 0.005;

/**
 * The value below which a share of the samples lies. Many samples fall on one step of the clock; the quantile is
 * placed within that step by how many of them lie before it, so that it is finer than the clock.
 */
export const clockQuantile = (samples: number[], share: number): number => {
  const steps = samples.map((sample) => Math.round(sample / CLOCK_STEP_MS)).sort((a, b) => a - b);
  const rank = share * steps.length;
  const step = steps[Math.min(Math.floor(rank), steps.length - 1)]!;
  const below = steps.indexOf(step);
  const equal = steps.lastIndexOf(step) - below + 1;
  return (step - 0.5 + (rank - below) / equal) * CLOCK_STEP_MS;
};

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** What one round measured: the tracker's figure and the bare one's, in the same unit. */
export interface Pair {
  ours: number;
  bare: number;
}

/** The medians over rounds; the ratio is taken within each round, where both met the same load of the machine. */
export const compare = (rounds: Pair[]) => {
  const ratios = rounds.map(({ ours, bare }) => ours / bare);
  return {
    ours: median(rounds.map(({ ours }) => ours)),
    bare: median(rounds.map(({ bare }) => bare)),
    ratio: median(ratios),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
  };
};

/** Fewer rounds are no median, more add nothing. */
const LEAST = 3;
const MOST = 9;

/** Runs rounds one after the other for about `seconds`, so that a slow or busy machine does fewer of them. */
export const repeat = async (seconds: number, round: () => Promise<void>): Promise<void> => {
  const end = performance.now() + seconds * 1_000;
  for (let done = 0; done < LEAST || (done < MOST && performance.now() < end); done++) await round();
};
