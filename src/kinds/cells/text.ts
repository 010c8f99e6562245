// Lists of words in table cells. Pure.

/** The first words and how many more there are: `a,b,c + 2 more...`. */
export function firstOf(words: readonly string[], limit: number): string {
  const shown = words.slice(0, limit).join(",");
  return words.length > limit ? `${shown} + ${words.length - limit} more...` : shown;
}

/** Text, or `<none>` where there is none. */
export const orNone = (text: string | null | undefined): string => text || "<none>";
