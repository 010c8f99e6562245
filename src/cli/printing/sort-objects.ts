// `--sort-by PATH`: by numbers as numbers, by times and everything else as text; what has no value comes first.

import type { JsonObject } from "../../base/json.ts";
import { parseJsonPath } from "../../codec/json-path.ts";
import { CliError } from "../command.ts";

/** Fails with CliError. */
export function sortedBy<T>(items: readonly T[], path: string, objectOf: (item: T) => JsonObject | undefined): T[] {
  const read = parseJsonPath(path);
  if (read === undefined) throw new CliError(`--sort-by: ${JSON.stringify(path)} is no path`);
  const keyed = items.map((item) => ({ item, key: read(objectOf(item)) }));
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item);
}

function compare(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
