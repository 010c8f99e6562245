// Series by their label values: one level of maps per label, so that a look-up joins no strings.
//
//   labels verb, code        GET -> 200 -> series
//                                -> 404 -> series
//                            PUT -> 200 -> series

/** How many series one metric may have; values beyond go to one series, so that user text cannot fill the memory. */
export const MAX_SERIES = 5_000;
/** The label value of the series that takes what is beyond the limit. */
const OVERFLOW = "overflow";

type Level<Series> = Map<string, Level<Series> | Leaf<Series>>;

class Leaf<Series> {
  readonly labels: string;
  readonly series: Series;

  constructor(labels: string, series: Series) {
    this.labels = labels;
    this.series = series;
  }
}

export class SeriesTree<Series> {
  readonly #labels: readonly string[];
  readonly #create: () => Series;
  readonly #root: Level<Series> = new Map();
  readonly #leaves: Leaf<Series>[] = [];

  constructor(labels: readonly string[], create: () => Series) {
    this.#labels = labels;
    this.#create = create;
    // A metric without labels has its one series from the start.
    if (labels.length === 0) this.#leaves.push(new Leaf("", create()));
  }

  at(values: readonly string[]): Series {
    const depth = this.#labels.length;
    if (values.length !== depth) throw new Error(`${values.length} values for the labels ${this.#labels.join(", ")}`);
    if (depth === 0) return this.#leaves[0]!.series;
    let level: Level<Series> = this.#root;
    for (let index = 0; index < depth; index += 1) {
      const next = level.get(values[index]!);
      if (next === undefined) return this.#add(values);
      if (next instanceof Leaf) return next.series;
      level = next;
    }
    return this.#add(values);
  }

  /** Forgets every series with labels. */
  clear(): void {
    if (this.#labels.length === 0) return;
    this.#root.clear();
    this.#leaves.length = 0;
  }

  /** Label pairs as they stand between braces, and the series, in the order of their first use. */
  *entries(): Iterable<[string, Series]> {
    // As they are now: others may come meanwhile, or all be forgotten and told anew for somebody else who looks.
    for (const { labels, series } of [...this.#leaves]) yield [labels, series];
  }

  #add(values: readonly string[]): Series {
    const overflowing = this.#leaves.length >= MAX_SERIES;
    const isOverflow = values.every((value) => value === OVERFLOW);
    if (overflowing && !isOverflow) return this.at(this.#labels.map(() => OVERFLOW));
    const labels = this.#labels.map((label, index) => `${label}="${escapeValue(values[index]!)}"`).join(",");
    const leaf = new Leaf(labels, this.#create());
    let level = this.#root;
    for (const value of values.slice(0, -1)) {
      let next = level.get(value);
      if (next === undefined || next instanceof Leaf) {
        next = new Map();
        level.set(value, next);
      }
      level = next;
    }
    level.set(values.at(-1)!, leaf);
    this.#leaves.push(leaf);
    return leaf.series;
  }
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
