// Objects from words: what `pctl create KIND NAME --flags` makes.

import { ACCESS_GENERATORS } from "./generators/access.ts";
import { DATA_GENERATORS } from "./generators/data.ts";
import type { Generator } from "./generators/generator.ts";
import { NETWORKING_GENERATORS } from "./generators/networking.ts";
import { WORKLOAD_GENERATORS } from "./generators/workloads.ts";

export const GENERATORS: readonly Generator[] = [
  ...DATA_GENERATORS,
  ...ACCESS_GENERATORS,
  ...WORKLOAD_GENERATORS,
  ...NETWORKING_GENERATORS,
];
