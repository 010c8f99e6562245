// What the table of one family shall hold for all Services, and the smallest transaction from what it holds now.
//
// A key that two Services claim (an external IP that both name) has the element of the better claim, and that of the other
// once the first is gone. Chains that Services share stay as long as one of them needs them.

import type { Family } from "../rules/backends.ts";
import type { Chain, Element, Rendering } from "./render-port.ts";
import { TABLE, wordsOf } from "./table-text.ts";

interface Claim {
  readonly owner: string;
  /** Sorts: rank, age, name. */
  readonly order: string;
  readonly value: string;
}

interface SharedChain {
  readonly chain: Chain;
  count: number;
}

/** What an owner holds, by the id of the element. */
interface Holding {
  readonly elements: ReadonlyMap<string, Claim>;
  readonly chains: readonly Chain[];
}

const NOTHING: Holding = { elements: new Map(), chains: [] };

export class RuleBook {
  readonly #family: Family;
  readonly #holdings = new Map<string, Holding>();
  /** The best claim first. */
  readonly #claims = new Map<string, readonly Claim[]>();
  readonly #chains = new Map<string, SharedChain>();
  /** What has been touched since the last transaction, and what stood there then. */
  readonly #elementsBefore = new Map<string, string | undefined>();
  readonly #chainsBefore = new Map<string, Chain | undefined>();

  constructor(family: Family) {
    this.#family = family;
  }

  /** What one owner has from now on; `since` says which of two owners is the older one. */
  put(owner: string, since: string, renderings: readonly Rendering[]): void {
    const before = this.#holdings.get(owner) ?? NOTHING;
    const after = holdingOf(owner, since, renderings);
    for (const [id, claim] of after.elements) {
      const known = before.elements.get(id);
      if (known?.value !== claim.value || known.order !== claim.order) this.#claim(id, claim);
    }
    for (const id of before.elements.keys()) if (!after.elements.has(id)) this.#unclaim(id, owner);
    for (const chain of after.chains) this.#acquire(chain);
    for (const chain of before.chains) this.#release(chain.name);
    if (after.elements.size === 0) this.#holdings.delete(owner);
    else this.#holdings.set(owner, after);
  }

  /** Everything goes from a table that is new: what `changes` would have said is in it. */
  all(): string {
    this.#forgetBefore();
    const text = new Transaction(this.#family);
    for (const { chain } of this.#chains.values()) text.addChain(chain);
    for (const { chain } of this.#chains.values()) text.addRules(chain);
    for (const [id, [claim]] of this.#claims) if (claim !== undefined) text.addElement(id, claim.value);
    return text.toString();
  }

  /** What has changed since the last call of this or of `all`; empty when nothing has. */
  changes(): string {
    const text = new Transaction(this.#family);
    const chains = [...this.#chainsBefore].map(([name, before]) => ({ before, after: this.#chains.get(name)?.chain }));
    for (const { before, after } of chains) if (before === undefined && after !== undefined) text.addChain(after);
    for (const { before, after } of chains) {
      if (after === undefined || (before !== undefined && sameRules(before, after))) continue;
      if (before !== undefined) text.flushChain(before);
      text.addRules(after);
    }
    const elements = [...this.#elementsBefore].map(([id, before]) => ({
      id,
      before,
      after: this.#claims.get(id)?.[0]?.value,
    }));
    const changed = elements.filter(({ before, after }) => before !== after);
    for (const { id, before } of changed) if (before !== undefined) text.deleteElement(id, before);
    for (const { id, after } of changed) if (after !== undefined) text.addElement(id, after);
    // Chains may lead to each other: none has rules when the first one goes.
    const gone = chains.flatMap(({ before, after }) => (before !== undefined && after === undefined ? [before] : []));
    for (const chain of gone) text.flushChain(chain);
    for (const chain of gone) text.deleteChain(chain);
    this.#forgetBefore();
    return text.toString();
  }

  #forgetBefore(): void {
    this.#elementsBefore.clear();
    this.#chainsBefore.clear();
  }

  #acquire(chain: Chain): void {
    const known = this.#chains.get(chain.name);
    if (!this.#chainsBefore.has(chain.name)) this.#chainsBefore.set(chain.name, known?.chain);
    // The last word counts: a chain of one port alone may have new rules.
    this.#chains.set(chain.name, { chain, count: (known?.count ?? 0) + 1 });
  }

  #release(name: string): void {
    const known = this.#chains.get(name);
    if (known === undefined) return;
    if (!this.#chainsBefore.has(name)) this.#chainsBefore.set(name, known.chain);
    known.count -= 1;
    if (known.count === 0) this.#chains.delete(name);
  }

  #claim(id: string, claim: Claim): void {
    const known = this.#touch(id);
    const others = known.length === 0 ? known : known.filter(({ owner }) => owner !== claim.owner);
    const place = others.findIndex(({ order }) => order > claim.order);
    this.#claims.set(id, place < 0 ? [...others, claim] : others.toSpliced(place, 0, claim));
  }

  #unclaim(id: string, owner: string): void {
    const left = this.#touch(id).filter((claim) => claim.owner !== owner);
    if (left.length === 0) this.#claims.delete(id);
    else this.#claims.set(id, left);
  }

  #touch(id: string): readonly Claim[] {
    const claims = this.#claims.get(id) ?? [];
    if (!this.#elementsBefore.has(id)) this.#elementsBefore.set(id, claims[0]?.value);
    return claims;
  }
}

function holdingOf(owner: string, since: string, renderings: readonly Rendering[]): Holding {
  const elements = new Map<string, Claim>();
  const chains: Chain[] = [];
  // One text for all elements of a rank: there are many of them.
  const orders = new Map<number, string>();
  for (const rendering of renderings) {
    for (const element of rendering.elements) {
      const id = idOf(element);
      const order = orders.get(element.rank) ?? `${element.rank} ${since} ${owner}`;
      orders.set(element.rank, order);
      const known = elements.get(id);
      // An external IP may be the cluster IP of the same Service.
      if (known === undefined || order < known.order) elements.set(id, { owner, order, value: element.value });
    }
    for (const chain of rendering.chains) chains.push(chain);
  }
  return { elements, chains };
}

/** Sets have no colons in their names. */
const idOf = ({ set, key }: Element): string => `${set}:${key}`;

function sameRules(one: Chain, other: Chain): boolean {
  return one.rules.length === other.rules.length && one.rules.every((rule, index) => rule === other.rules[index]);
}

/** More elements than these in one line make long lines and no faster transactions. */
const MAX_ELEMENTS_PER_LINE = 500;

/** The text of a transaction. Elements of the same set share commands. */
class Transaction {
  readonly #word: string;
  readonly #lines: string[] = [];
  /** Elements by their command, until something else is said. */
  readonly #open = new Map<string, string[]>();

  constructor(family: Family) {
    this.#word = wordsOf(family).word;
  }

  addChain({ name }: Chain): void {
    this.#line(`add chain ${this.#path(name)}`);
  }

  addRules({ name, rules }: Chain): void {
    for (const rule of rules) this.#line(`add rule ${this.#path(name)} ${rule}`);
  }

  flushChain({ name }: Chain): void {
    this.#line(`flush chain ${this.#path(name)}`);
  }

  deleteChain({ name }: Chain): void {
    this.#line(`delete chain ${this.#path(name)}`);
  }

  addElement(id: string, value: string): void {
    this.#element("add", id, value);
  }

  deleteElement(id: string, value: string): void {
    this.#element("delete", id, value);
  }

  toString(): string {
    this.#close();
    return this.#lines.join("");
  }

  #element(verb: "add" | "delete", id: string, value: string): void {
    const colon = id.indexOf(":");
    const command = `${verb} element ${this.#path(id.slice(0, colon))}`;
    const key = id.slice(colon + 1);
    const element = value === "" ? key : `${key} : ${value}`;
    const elements = this.#open.get(command);
    if (elements === undefined) this.#open.set(command, [element]);
    else elements.push(element);
  }

  #close(): void {
    for (const [command, elements] of this.#open)
      for (let start = 0; start < elements.length; start += MAX_ELEMENTS_PER_LINE)
        this.#lines.push(`${command} { ${elements.slice(start, start + MAX_ELEMENTS_PER_LINE).join(", ")} }\n`);
    this.#open.clear();
  }

  #line(text: string): void {
    this.#close();
    this.#lines.push(`${text}\n`);
  }

  #path(name: string): string {
    return `${this.#word} ${TABLE} ${name}`;
  }
}
