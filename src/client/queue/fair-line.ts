// Keys in a line, each once; flows take turns, and within a flow the first comes first.

export class FairLine {
  readonly #flowOf: (key: string) => string;
  /** Flows that have keys, the next one first. A set keeps the order in which keys came. */
  readonly #flows = new Map<string, Set<string>>();
  #length = 0;

  constructor(flowOf: (key: string) => string) {
    this.#flowOf = flowOf;
  }

  get length(): number {
    return this.#length;
  }

  has(key: string): boolean {
    return this.#flows.get(this.#flowOf(key))?.has(key) ?? false;
  }

  push(key: string): void {
    const flow = this.#flowOf(key);
    const keys = this.#flows.get(flow);
    if (keys?.has(key)) return;
    this.#length += 1;
    if (keys === undefined) this.#flows.set(flow, new Set([key]));
    else keys.add(key);
  }

  shift(): string | undefined {
    const next = this.#flows.entries().next();
    if (next.done) return undefined;
    const [flow, keys] = next.value;
    const key = keys.values().next().value!;
    keys.delete(key);
    this.#length -= 1;
    // Behind all others until its next turn.
    this.#flows.delete(flow);
    if (keys.size > 0) this.#flows.set(flow, keys);
    return key;
  }

  clear(): void {
    this.#flows.clear();
    this.#length = 0;
  }
}
