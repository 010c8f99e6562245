// Sets of indexes of an indexed job, as text: `0,2-5,7`.

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** How many indexes the text names, or why it is not good. Numbers rise and stay below `completions`. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let total = 0;
  let last: number | undefined;
  for (const part of text.split(",")) {
    const interval = readInterval(part, completions);
    if (typeof interval === "string") return interval;
    if (last !== undefined && last >= interval.first) {
      return `non-increasing order, previous: ${last}, current: ${interval.first}`;
    }
    total += interval.last - interval.first + 1;
    last = interval.last;
  }
  return total;
}

/** The first index that both texts name; parts that are not good are passed over. */
export function firstCommonIndex(a: string, b: string, completions: number): number | undefined {
  if (a === "" || b === "") return undefined;
  const read = (text: string) =>
    text.split(",").flatMap((part) => {
      const interval = readInterval(part, completions);
      return typeof interval === "string" ? [] : [interval];
    });
  const left = read(a);
  const right = read(b);
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const x = left[i]!;
    const y = right[j]!;
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first);
    if (x.first <= y.first) i += 1;
    else j += 1;
  }
  return undefined;
}

function readInterval(text: string, completions: number): Interval | string {
  const limits = text.split("-");
  if (limits.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    if (!/^[+-]?[0-9]{1,18}$/.test(limit))
      return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
    const number = Number(limit);
    if (number >= completions) return `too large index: ${JSON.stringify(limit)}`;
    numbers.push(number);
  }
  const [first = 0, last = first] = numbers;
  if (numbers.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return { first, last };
}
