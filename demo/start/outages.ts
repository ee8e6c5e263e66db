/** Milliseconds for which an outage is remembered: as far back as the live page draws. */
const KEPT_MS = 3_600_000;

/** From when to when, in epoch milliseconds; an outage that lasts has no end. */
export type Outage = [from: number, to: number | null];

/** Remembers when the service was away. */
export const createOutages = () => {
  let outages: Outage[] = [];
  let isUp: boolean | undefined;
  return {
    note: (up: boolean): void => {
      const last = outages.at(-1);
      // Before it was up for the first time it was not away.
      if (!up && isUp) outages.push([Date.now(), null]);
      if (up && last?.[1] === null) last[1] = Date.now();
      if (up || isUp !== undefined) isUp = up;
    },
    list: (): Outage[] => {
      outages = outages.filter(([, to]) => to === null || to > Date.now() - KEPT_MS);
      return outages;
    },
  };
};
