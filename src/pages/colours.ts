/** Colours in the stylesheet, `--series-0` and so on; whatever has none of its own shares `--series-other`. */
export const COLOURS = 8;
export const OTHER_COLOUR = "--series-other";
/** Names of which is remembered which colour they have. */
const MAX_NAMES = 200;
const KEY = "tracklet.colours";

/** These have theirs from the start. */
const FIRST = { pageview: 0, registration: 1 };

/** A browser that stores nothing only makes it forgetful. */
const recall = (): Record<string, number> => {
  try {
    return JSON.parse(localStorage.getItem(KEY)!) ?? FIRST;
  } catch {
    return FIRST;
  }
};
const remember = (colours: object): void => {
  try {
    localStorage.setItem(KEY, JSON.stringify(colours));
  } catch {
    // Storage is denied or full.
  }
};

let given = new Map(Object.entries(recall()));

/**
 * Gives each name of a chart, at most {@link COLOURS} of them, a colour that no other one of it has. A name keeps its own over charts, pages and
 * reloads, as long as no chart has two names of one colour.
 */
export const giveColours = (names: readonly string[]): void => {
  const taken = new Set<number>();
  const without = names.filter((name) => {
    const own = given.get(name);
    if (own === undefined || taken.has(own)) return true;
    taken.add(own);
    return false;
  });
  if (without.length === 0) return;
  const uses = (colour: number) => [...given.values()].filter((one) => one === colour).length;
  for (const name of without) {
    const free = Array.from({ length: COLOURS }, (_, colour) => colour).filter((colour) => !taken.has(colour));
    const colour = free.sort((one, other) => uses(one) - uses(other) || one - other)[0]!;
    given.delete(name);
    given.set(name, colour);
    taken.add(colour);
  }
  given = new Map([...given].slice(-MAX_NAMES));
  remember(Object.fromEntries(given));
};

/** Name of the custom property, which the stylesheet defines for light and dark. */
export const colourOf = (name: string): string => (given.has(name) ? `--series-${given.get(name)}` : OTHER_COLOUR);
