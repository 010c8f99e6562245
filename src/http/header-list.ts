// Headers of node's HTTP messages as a HeaderList. Repeated lines stay apart, as group and impersonation headers need it.

import { fromWire } from "./header-text.ts";
import type { HeaderList } from "./message.ts";

type NodeHeaders = NodeJS.Dict<string | string[]>;

const NONE: readonly string[] = [];
/** Turns letters into lower case, by their codes. */
const LOWER = 0x20;

/** Over node's parsed headers and the raw lines (name, value, name, value, ...) they came from. */
export class NodeHeaderList implements HeaderList {
  readonly #parsed: NodeHeaders;
  readonly #rawLines: readonly string[];

  constructor(parsed: NodeHeaders, rawLines: readonly string[]) {
    this.#parsed = parsed;
    this.#rawLines = rawLines;
  }

  first(name: string): string | undefined {
    let value = this.#parsed[name];
    // HTTP/2 has its own word for it.
    if (value === undefined && name === "host") value = this.#parsed[":authority"];
    if (value === undefined) return undefined;
    return fromWire(Array.isArray(value) ? value[0]! : value);
  }

  all(name: string): readonly string[] {
    let values: string[] | undefined;
    // Node joins repeated lines with a comma, or drops all but one: only the raw lines tell them apart.
    for (let at = 0; at + 1 < this.#rawLines.length; at += 2) {
      const sent = this.#rawLines[at]!;
      if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
      values ??= [];
      values.push(fromWire(this.#rawLines[at + 1]!));
    }
    return values ?? NONE;
  }

  namesWithPrefix(prefix: string): readonly string[] {
    let found: Set<string> | undefined;
    const first = prefix.charCodeAt(0) | LOWER;
    for (let at = 0; at + 1 < this.#rawLines.length; at += 2) {
      const sent = this.#rawLines[at]!;
      // Every request is asked for headers that hardly any has: most names differ in their first letter.
      if (prefix !== "" && (sent.charCodeAt(0) | LOWER) !== first) continue;
      if (sent.length < prefix.length || sent.slice(0, prefix.length).toLowerCase() !== prefix) continue;
      found ??= new Set();
      found.add(sent.toLowerCase());
    }
    return found === undefined ? NONE : [...found];
  }
}

/** For requests that did not come over a socket. */
export function headerList(lines: Readonly<Record<string, string | readonly string[]>>): HeaderList {
  return new GivenHeaderList(lines);
}

class GivenHeaderList implements HeaderList {
  readonly #values = new Map<string, string | readonly string[]>();

  constructor(lines: Readonly<Record<string, string | readonly string[]>>) {
    for (const name of Object.keys(lines)) this.#values.set(name.toLowerCase(), lines[name]!);
  }

  first(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === "object" ? value[0] : value;
  }

  all(name: string): readonly string[] {
    const value = this.#values.get(name);
    return typeof value === "string" ? [value] : (value ?? NONE);
  }

  namesWithPrefix(prefix: string): readonly string[] {
    let found: string[] | undefined;
    for (const name of this.#values.keys()) {
      if (!name.startsWith(prefix)) continue;
      found ??= [];
      found.push(name);
    }
    return found ?? NONE;
  }
}

/** The same headers with other values for some of them; a name without values is not there. */
export function changedHeaders(list: HeaderList, changes: ReadonlyMap<string, readonly string[]>): HeaderList {
  return {
    first: (name) => (changes.has(name) ? changes.get(name)?.[0] : list.first(name)),
    all: (name) => changes.get(name) ?? list.all(name),
    namesWithPrefix: (prefix) => list.namesWithPrefix(prefix).filter((name) => changes.get(name)?.length !== 0),
  };
}
