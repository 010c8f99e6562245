// What control planes with controllers begin with, read once for all of a process.

import type { Dialect } from "../meta/names.ts";
import { type PreparedState, readPrepared } from "../registry/first-state.ts";
import { readPreparedState } from "./prepared-state.ts";

const known = new Map<Dialect, PreparedState>();

export function firstStateOf(dialect: Dialect): PreparedState | undefined {
  const json = known.has(dialect) ? undefined : readPreparedState(dialect);
  if (json !== undefined) known.set(dialect, readPrepared(json));
  return known.get(dialect);
}
