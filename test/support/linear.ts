/**
 * Whether a text that is ten times as long takes much more than the same text ten times, as where time grows with the
 * square. Processor time, which other processes do not lengthen; the fastest of five, which nothing else has disturbed.
 *
 * @returns what took too long, in words; nothing where time grows no faster than the text
 */
export const tooSlow = (run: (text: string) => void, part: string, length: number): string[] => {
  const cost = (text: string, times: number): number => {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) run(text);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const short = part.repeat(length / part.length);
  const long = part.repeat((10 * length) / part.length);
  const rounds = Array.from({ length: 5 }, () => ({ tenShort: cost(short, 10), oneLong: cost(long, 1) }));
  const [tenShort, oneLong] = (["tenShort", "oneLong"] as const).map((of) =>
    Math.min(...rounds.map((round) => round[of])),
  );
  // Some systems count processor time in steps of several milliseconds.
  const isSlow = oneLong! > 5 * Math.max(tenShort!, 4_000);
  return isSlow
    ? [`${part}: ${10 * length} characters take ${oneLong} µs, ten times ${length} of them ${tenShort} µs`]
    : [];
};
