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
