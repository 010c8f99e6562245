// The JSON patch (RFC 6902) that makes one value of another. Lists that differ are replaced as a whole.

import { equalJson, isObject } from "../../base/json.ts";

interface DifferenceOperation {
  readonly op: "add" | "remove" | "replace";
  readonly path: string;
  readonly value?: unknown;
}

export function jsonDifference(before: unknown, after: unknown, path = ""): DifferenceOperation[] {
  if (!isObject(before) || !isObject(after))
    return equalJson(before, after) ? [] : [{ op: "replace", path, value: after }];
  const operations: DifferenceOperation[] = [];
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(after, key) && after[key] !== undefined) {
      for (const operation of jsonDifference(before[key], after[key], below(path, key))) operations.push(operation);
    } else operations.push({ op: "remove", path: below(path, key) });
  }
  for (const [key, value] of Object.entries(after))
    if (!Object.hasOwn(before, key) && value !== undefined)
      operations.push({ op: "add", path: below(path, key), value });
  return operations;
}

const below = (path: string, key: string): string => `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
