// "Did you mean": the known word that is nearest to one that nobody knows.

/** More edits than these are no typing error. */
const MAX_EDITS = 3;
/** Longer words are no typing errors either. */
const MAX_LENGTH = 64;

/** Fewer letters begin too many words. */
const MIN_BEGINNING = 3;

/** Undefined when none is near and none begins with it: a guess must be better than none. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  let nearest: string | undefined;
  let begun: string | undefined;
  let fewest = Math.min(MAX_EDITS, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const candidate of known) {
    const edits = editDistance(word, candidate);
    // Of short words, most letters must be right: `gt` is near to `get`, and `ls` to none of two letters.
    const isNear = edits * 2 < Math.max(word.length, candidate.length);
    if (isNear && edits < fewest) [nearest, fewest] = [candidate, edits];
    if (begun === undefined && word.length >= MIN_BEGINNING && candidate.startsWith(word)) begun = candidate;
  }
  return nearest ?? begun;
}

/** ` (did you mean "get"?)`, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? "" : ` (did you mean ${JSON.stringify(nearest)}?)`;
}

/** Letters to add, drop or change, and neighbours that changed places. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? before[j - 2]! + 1 : change;
      next.push(Math.min(change, swap, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
