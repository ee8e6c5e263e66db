/** Which word was meant by one that is none of those known. */

/** How many letters must be added, taken away or changed to make one word of the other (Levenshtein). */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[other.length]!;
};

const plain = (word: string): string => word.replace(/[^a-z]/gi, "").toLowerCase();

/** The known word that differs in capitals and signs alone, or by two letters at most; `""` where there is none. */
export const closest = (word: string, known: readonly string[]): string => {
  // Nobody mistypes a word so long; without a bound its length would cost time.
  if (word.length > 40) return "";
  const ranked = known
    .map((each): [number, string] => [distance(plain(word), plain(each)), each])
    .sort(([one], [other]) => one - other);
  const [letters, found] = ranked[0]!;
  return letters <= 2 && letters < plain(found).length / 2 ? found : "";
};
