// A set of completion indexes, kept and written as intervals: `0,2-5,7`. A job may have many thousands of them.

interface Interval {
  readonly first: number;
  readonly last: number;
}

export class IndexSet {
  static readonly EMPTY = new IndexSet([]);

  /** In order, apart from each other. */
  readonly #intervals: readonly Interval[];

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
  }

  /** Indexes from `completions` on, and parts that are no numbers, are passed over. */
  static parse(text: string | undefined, completions: number): IndexSet {
    if (text === undefined || text === "") return IndexSet.EMPTY;
    const intervals: Interval[] = [];
    for (const part of text.split(",")) {
      const match = /^([0-9]{1,10})(?:-([0-9]{1,10}))?$/.exec(part);
      if (match === null) continue;
      const first = Number(match[1]);
      const last = Math.min(match[2] === undefined ? first : Number(match[2]), completions - 1);
      if (first <= last) intervals.push({ first, last });
    }
    return new IndexSet(joined(intervals));
  }

  static of(indexes: Iterable<number>): IndexSet {
    return new IndexSet(joined(Array.from(indexes, (index) => ({ first: index, last: index }))));
  }

  get size(): number {
    return this.#intervals.reduce((total, { first, last }) => total + last - first + 1, 0);
  }

  get text(): string {
    // Two in a row are two numbers.
    const words = ({ first, last }: Interval) => {
      if (first === last) return `${first}`;
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    };
    return this.#intervals.map(words).join(",");
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#intervals[middle]!.last < index) low = middle + 1;
      else high = middle;
    }
    return low < this.#intervals.length && this.#intervals[low]!.first <= index;
  }

  union(other: IndexSet): IndexSet {
    return new IndexSet(joined([...this.#intervals, ...other.#intervals]));
  }

  /** How many indexes are in both. */
  overlap(other: IndexSet): number {
    let [i, j, common] = [0, 0, 0];
    while (i < this.#intervals.length && j < other.#intervals.length) {
      const [a, b] = [this.#intervals[i]!, other.#intervals[j]!];
      common += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
      if (a.last < b.last) i += 1;
      else j += 1;
    }
    return common;
  }

  /** The lowest indexes below `completions` that are not in the set, at most `count`. */
  firstMissing(count: number, completions: number): number[] {
    const missing: number[] = [];
    let candidate = 0;
    const take = (until: number) => {
      for (; candidate < until && missing.length < count; candidate += 1) missing.push(candidate);
    };
    for (const { first, last } of this.#intervals) {
      take(Math.min(first, completions));
      if (missing.length >= count) break;
      candidate = last + 1;
    }
    take(completions);
    return missing;
  }
}

function joined(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const interval of [...intervals].sort((a, b) => a.first - b.first)) {
    const before = result.at(-1);
    if (before === undefined || interval.first > before.last + 1) result.push(interval);
    else if (interval.last > before.last) result[result.length - 1] = { first: before.first, last: interval.last };
  }
  return result;
}
