// What control planes with controllers and nodes begin with, read once for all of a process.

import type { Dialect } from "../meta/names.ts";
import { type PreparedObjects, readPrepared } from "../registry/prepared-objects.ts";
import { readPreparedNodes, readPreparedState } from "./prepared-state.ts";

export const firstStateOf = readOnce(readPreparedState);
export const firstNodesOf = readOnce(readPreparedNodes);

function readOnce(fileOf: (dialect: Dialect) => Buffer | undefined): (dialect: Dialect) => PreparedObjects | undefined {
  const known = new Map<Dialect, PreparedObjects>();
  return (dialect) => {
    const file = known.has(dialect) ? undefined : fileOf(dialect);
    if (file !== undefined) known.set(dialect, readPrepared(file));
    return known.get(dialect);
  };
}
