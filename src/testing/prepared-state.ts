// What a control plane with controllers begins with, from files that a build has put beside the program (scripts/build.mjs).

import type { Dialect } from "../meta/names.ts";

/** Undefined where the sources run as they are: then server and controllers make everything at the start. */
export const readPreparedState: (dialect: Dialect) => Buffer | undefined = () => undefined;

/** Simulated nodes; undefined where the sources run as they are: then all of them register. */
export const readPreparedNodes: (dialect: Dialect) => Buffer | undefined = () => undefined;
