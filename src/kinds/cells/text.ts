// Lists of words in table cells. Pure.

/** The first words and how many more there are: `a,b,c + 2 more...`. */
export function firstOf(words: readonly string[], limit: number): string {
  return firstOfMany(words, words.length, limit);
}

/** The same of words of which only those are made that are shown. */
export function firstOfMany(words: Iterable<string>, count: number, limit: number): string {
  const shown: string[] = [];
  for (const word of words) {
    if (shown.length === limit) break;
    shown.push(word);
  }
  return count > limit ? `${shown.join(",")} + ${count - limit} more...` : shown.join(",");
}

/** Text, or `<none>` where there is none. */
export const orNone = (text: string | null | undefined): string => text || "<none>";
