// What prepareFirstState has made, from a file that a build has put beside the program (scripts/build.mjs).

import type { Dialect } from "../../meta/names.ts";

/** Undefined where the sources run as they are: then everything is made at the start. */
export const readPreparedState: (dialect: Dialect) => Buffer | undefined = () => undefined;
