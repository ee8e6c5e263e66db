import { distance } from "fastest-levenshtein";

const MAX_DISTANCE = 2;

/** Of names that are known, the one that was probably meant by another. */
export const nearName = (name: string, known: readonly string[]): string | undefined =>
  known.find((one) => one !== name && distance(name.toLowerCase(), one.toLowerCase()) <= MAX_DISTANCE);
