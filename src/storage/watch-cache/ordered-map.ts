// A map from storage keys to values in the order of engines (bytes of UTF-8), with snapshots that cost nothing.
// The only place that knows sorted-btree.

import btree from "sorted-btree";

// Loaders disagree on what the default import of this CommonJS package is: its exports, or its class.
const BTree = (typeof btree === "function" ? btree : btree.default) as typeof btree.default;
type Tree<V> = InstanceType<typeof btree.default<string, V>>;

/** Wide leaves make ranges and counts cheap; wider ones make the copy after a snapshot dear. */
const NODE_SIZE = 128;

export class OrderedMap<V> {
  readonly #tree: Tree<V>;

  constructor(tree: Tree<V> = new BTree<string, V>(undefined, compare, NODE_SIZE)) {
    this.#tree = tree;
  }

  get size(): number {
    return this.#tree.size;
  }

  get(key: string): V | undefined {
    return this.#tree.get(orderKey(key));
  }

  set(key: string, value: V): void {
    this.#tree.set(orderKey(key), value);
  }

  delete(key: string): void {
    this.#tree.delete(orderKey(key));
  }

  /** An independent copy in constant time: nodes are shared until one side changes them. */
  clone(): OrderedMap<V> {
    return new OrderedMap(this.#tree.clone());
  }

  /**
   * Visits the values of the keys within `scope` in order, only those strictly after `after` when given, until `visit`
   * returns false.
   */
  visit(scope: string, after: string | undefined, visit: (value: V) => boolean): void {
    const range = rangeOf(scope, after);
    this.#tree.forRange(range.low, range.high, false, (_, value) => (visit(value) ? undefined : STOP));
  }

  /** How many keys lie within `scope`, only those strictly after `after` when given. */
  count(scope: string, after?: string): number {
    const { low, high } = rangeOf(scope, after);
    const [first, last] = [this.#tree.minKey(), this.#tree.maxKey()];
    if (first === undefined || last === undefined) return 0;
    // A count goes from leaf to leaf, except that of everything.
    if (first >= low && last < high) return this.#tree.size;
    return this.#tree.forRange(low, high, false);
  }

  /** Whether at least so many keys lie within `scope`. Looks at no more of them. */
  hasAtLeast(scope: string, keys: number): boolean {
    if (keys > this.#tree.size) return false;
    let left = keys;
    if (left > 0) this.visit(scope, undefined, () => --left > 0);
    return left <= 0;
  }
}

/** Whether a key lies within a scope: below it when it ends in "/", else exactly it. */
export function inScope(key: string, scope: string): boolean {
  return scope.endsWith("/") ? key.startsWith(scope) : key === scope;
}

const STOP = { break: 0 };

/** The order in which keys are visited. */
export function compareKeys(a: string, b: string): number {
  return compare(orderKey(a), orderKey(b));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Half open: low <= key < high. */
function rangeOf(scope: string, after: string | undefined): { readonly low: string; readonly high: string } {
  const low = orderKey(scope);
  // "0" is the character after "/"; no key lies between k and k + NUL.
  const high = scope.endsWith("/") ? `${low.slice(0, -1)}0` : `${low}\0`;
  if (after === undefined) return { low, high };
  const next = `${orderKey(after)}\0`;
  return next < low ? { low, high } : { low: next < high ? next : high, high };
}

/**
 * The key in a form whose native order (UTF-16 units) is the order of the key's UTF-8 bytes. They differ only where
 * surrogates (above everything in UTF-8) meet the units after them, so that ordinary keys stay as they are:
 * units D800-DFFF move up to F800-FFFF, units E000-FFFF move down to D800-F7FF.
 */
function orderKey(key: string): string {
  // A loop, because keys are short: calling a pattern costs more than running it.
  for (let at = 0; at < key.length; at += 1) {
    if (key.charCodeAt(at) >= FIRST_HIGH_UNIT) return key.replace(EACH_HIGH_UNIT, rotate);
  }
  return key;
}

const FIRST_HIGH_UNIT = 0xd800;
// Without the u flag: single units are meant, not code points.
const EACH_HIGH_UNIT = /[\ud800-\uffff]/g;

function rotate(unit: string): string {
  const code = unit.charCodeAt(0);
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
}
