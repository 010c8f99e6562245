// Headers of node's HTTP messages as a HeaderList. Repeated lines stay apart, as group and impersonation headers need it.

import type { HeaderList } from "./message.ts";

type NodeHeaders = NodeJS.Dict<string | string[]>;

const NONE: readonly string[] = [];

/** Over node's parsed headers and the raw lines (name, value, name, value, ...) they came from. */
export class NodeHeaderList implements HeaderList {
  readonly #parsed: NodeHeaders;
  readonly #rawLines: readonly string[];

  constructor(parsed: NodeHeaders, rawLines: readonly string[]) {
    this.#parsed = parsed;
    this.#rawLines = rawLines;
  }

  first(name: string): string | undefined {
    const value = this.#parsed[name];
    return Array.isArray(value) ? value[0] : value;
  }

  all(name: string): readonly string[] {
    if (this.#parsed[name] === undefined) return NONE;
    // Node joins repeated lines with a comma: only the raw lines tell them apart.
    const values: string[] = [];
    for (let i = 0; i + 1 < this.#rawLines.length; i += 2) {
      if (this.#rawLines[i]!.toLowerCase() === name) values.push(this.#rawLines[i + 1]!);
    }
    return values;
  }

  namesWithPrefix(prefix: string): readonly string[] {
    let found: string[] | undefined;
    for (const name in this.#parsed) {
      if (!name.startsWith(prefix)) continue;
      found ??= [];
      found.push(name);
    }
    return found ?? NONE;
  }
}

/** For requests that did not come over a socket. */
export function headerList(lines: Readonly<Record<string, string | readonly string[]>>): HeaderList {
  const values = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(lines)) {
    values.set(name.toLowerCase(), typeof value === "string" ? [value] : value);
  }
  return {
    first: (name) => values.get(name)?.[0],
    all: (name) => values.get(name) ?? [],
    namesWithPrefix: (prefix) => [...values.keys()].filter((name) => name.startsWith(prefix)),
  };
}
