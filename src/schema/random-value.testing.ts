// For tests: values of a schema, hostile ones among them. The same seed makes the same values.

import type { Schema } from "./schema.ts";

/** Words that rules look for, and texts that are hard to write. */
const WORDS = [
  ...["", "a", "Ready", "True", "False", "Always", "Running", "Succeeded", "Failed", "PodScheduled", "SchedulingGated"],
  ...["Initialized", "Complete", "InternalIP", "Healthy", "Completed", "NodeLost", "LoadBalancer", "ReadWriteOnce"],
  ...["<b>&", 'quo"te\\', "é\u2028\u0000", "metadata", "}],{[", "2024-01-01T00:00:00Z"],
];
const KEYS = ["a", "storage", "__proto__", "constructor", 'k"\\', "<", "managedFields", "metadata", "x.y/z"];
const MAX_DEPTH = 9;

/** Numbers from 0 up to 1, from a seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function randomValue(schema: Schema, random: () => number, depth = 0): unknown {
  const some = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const count = () => (depth > MAX_DEPTH ? 0 : Math.floor(random() * 3));
  switch (schema.type) {
    case "struct":
      return Object.fromEntries(
        [...schema.fields]
          .filter(() => random() < (depth > MAX_DEPTH ? 0.05 : 0.75))
          .map(([name, field]) => [name, randomValue(field.schema, random, depth + 1)]),
      );
    case "map":
      return Object.fromEntries(
        Array.from({ length: count() }, () => [some(KEYS), randomValue(schema.values, random, depth + 1)]),
      );
    case "list":
      return Array.from({ length: count() }, () => randomValue(schema.items, random, depth + 1));
    case "any":
      return { [some(KEYS)]: some(WORDS) };
    case "scalar":
      switch (schema.scalar) {
        case "boolean":
          return random() < 0.5;
        case "int32":
          return Math.floor(random() * 4);
        case "int64":
          return some([0, 3, 2n ** 60n]);
        case "double":
          return some([0, 1.5]);
        case "intOrString":
          return some([1, "50%"]);
        case "quantity":
          return some(["1", "100m"]);
        case "time":
          return some(["2024-01-01T00:00:00Z", "2025-12-31T23:59:59Z"]);
        case "microTime":
          return "2024-01-01T00:00:00.000001Z";
        case "duration":
          return "1m0s";
        case "bytes":
          return "YQ==";
        default:
          return random() < 0.2 && schema.enum !== undefined ? some(schema.enum) : some(WORDS);
      }
  }
}
