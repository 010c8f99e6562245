// The difference of two texts in the unified format, as messages about immutable fields carry it. Lines are matched as
// upstream's library does: the longest common run first, then what is left of it and right of it. In a long text, lines
// that stand everywhere (a brace) start no run, so that the runs found are those a reader would see.

/** Beyond this many comparisons the rest is shown as replaced: matching it would hold up other requests. */
const MAX_COMPARISONS = 300_000;
const CONTEXT_LINES = 3;
const POPULAR_FROM_LINES = 200;

/** Empty when the texts are equal. */
export function unifiedDiff(before: string, after: string): string {
  const a = splitLines(before);
  const b = splitLines(after);
  let text = "";
  for (const group of groupsOf(opcodes(a, b))) {
    const first = group[0]!;
    const last = group[group.length - 1]!;
    text += `@@ -${rangeText(first.a1, last.a2)} +${rangeText(first.b1, last.b2)} @@\n`;
    for (const { same, a1, a2, b1, b2 } of group) {
      if (same) for (let line = a1; line < a2; line += 1) text += ` ${a[line]}`;
      else {
        for (let line = a1; line < a2; line += 1) text += `-${a[line]}`;
        for (let line = b1; line < b2; line += 1) text += `+${b[line]}`;
      }
    }
  }
  return text;
}

interface Opcode {
  readonly same: boolean;
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

function splitLines(text: string): string[] {
  return text.split("\n").map((line) => `${line}\n`);
}

function opcodes(a: readonly string[], b: readonly string[]): Opcode[] {
  const codes: Opcode[] = [];
  let i = 0;
  let j = 0;
  for (const { a: ai, b: bj, size } of [...matches(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (i < ai || j < bj) codes.push({ same: false, a1: i, a2: ai, b1: j, b2: bj });
    if (size > 0) codes.push({ same: true, a1: ai, a2: ai + size, b1: bj, b2: bj + size });
    i = ai + size;
    j = bj + size;
  }
  return codes;
}

/** Runs of equal lines, in order, none touching the next. */
function matches(a: readonly string[], b: readonly string[]): Match[] {
  const positions = positionsOf(b);
  const found: Match[] = [];
  const queue: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  const budget = { comparisons: MAX_COMPARISONS };
  while (queue.length > 0 && budget.comparisons > 0) {
    const [aLow, aHigh, bLow, bHigh] = queue.pop()!;
    const match = longestMatch(a, b, positions, aLow, aHigh, bLow, bHigh, budget);
    if (match.size === 0) continue;
    found.push(match);
    if (aLow < match.a && bLow < match.b) queue.push([aLow, match.a, bLow, match.b]);
    const aEnd = match.a + match.size;
    const bEnd = match.b + match.size;
    if (aEnd < aHigh && bEnd < bHigh) queue.push([aEnd, aHigh, bEnd, bHigh]);
  }
  found.sort((left, right) => left.a - right.a);
  return joinTouching(found);
}

function joinTouching(found: readonly Match[]): Match[] {
  const joined: Match[] = [];
  for (const match of found) {
    const last = joined[joined.length - 1];
    if (last && last.a + last.size === match.a && last.b + last.size === match.b) {
      joined[joined.length - 1] = { a: last.a, b: last.b, size: last.size + match.size };
    } else joined.push(match);
  }
  return joined;
}

function positionsOf(b: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  b.forEach((line, index) => {
    const known = positions.get(line);
    if (known) known.push(index);
    else positions.set(line, [index]);
  });
  if (b.length < POPULAR_FROM_LINES) return positions;
  const most = Math.floor(b.length / 100) + 1;
  for (const [line, indexes] of positions) if (indexes.length > most) positions.delete(line);
  return positions;
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  positions: ReadonlyMap<string, readonly number[]>,
  aLow: number,
  aHigh: number,
  bLow: number,
  bHigh: number,
  budget: { comparisons: number },
): Match {
  let best: Match = { a: aLow, b: bLow, size: 0 };
  // The length of the run that ends at each line of b, for the last line of a.
  let runs = new Map<number, number>();
  for (let i = aLow; i < aHigh && budget.comparisons > 0; i += 1) {
    const next = new Map<number, number>();
    budget.comparisons--;
    for (const j of positions.get(a[i]!) ?? []) {
      budget.comparisons--;
      if (j < bLow) continue;
      if (j >= bHigh) break;
      const size = (runs.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    runs = next;
  }
  return grow(a, b, best, aLow, aHigh, bLow, bHigh);
}

/** Lines that start no run still belong to the run beside them. */
function grow(
  a: readonly string[],
  b: readonly string[],
  match: Match,
  aLow: number,
  aHigh: number,
  bLow: number,
  bHigh: number,
): Match {
  let { a: i, b: j, size } = match;
  while (i > aLow && j > bLow && a[i - 1] === b[j - 1]) {
    i -= 1;
    j -= 1;
    size += 1;
  }
  while (i + size < aHigh && j + size < bHigh && a[i + size] === b[j + size]) size += 1;
  return { a: i, b: j, size };
}

/** Changes with the lines around them; far changes stand in groups of their own. */
function groupsOf(codes: readonly Opcode[]): Opcode[][] {
  if (codes.every(({ same }) => same)) return [];
  const trimmed = [...codes];
  const first = trimmed[0]!;
  if (first.same) {
    const cut = Math.max(0, first.a2 - first.a1 - CONTEXT_LINES);
    trimmed[0] = { ...first, a1: first.a1 + cut, b1: first.b1 + cut };
  }
  const last = trimmed[trimmed.length - 1]!;
  if (last.same) {
    const size = Math.min(CONTEXT_LINES, last.a2 - last.a1);
    trimmed[trimmed.length - 1] = { ...last, a2: last.a1 + size, b2: last.b1 + size };
  }
  const groups: Opcode[][] = [[]];
  for (const code of trimmed) {
    const size = code.a2 - code.a1;
    if (code.same && size > 2 * CONTEXT_LINES) {
      groups[groups.length - 1]!.push({ ...code, a2: code.a1 + CONTEXT_LINES, b2: code.b1 + CONTEXT_LINES });
      groups.push([{ ...code, a1: code.a2 - CONTEXT_LINES, b1: code.b2 - CONTEXT_LINES }]);
    } else groups[groups.length - 1]!.push(code);
  }
  return groups.filter((group) => group.some(({ same }) => !same));
}

/** `start,length`; the length is left out when it is one, and an empty range starts on the line before. */
function rangeText(start: number, stop: number): string {
  const length = stop - start;
  if (length === 1) return `${start + 1}`;
  return `${length === 0 ? start : start + 1},${length}`;
}
