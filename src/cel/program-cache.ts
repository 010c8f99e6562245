// Compiled programs by their text, one object for all who ask.

import { BoundedCache } from "../base/bounded-cache.ts";
import { MAX_CACHED_PROGRAM_BYTES, MAX_CACHED_PROGRAMS } from "./limits.ts";
import type { Program } from "./program.ts";

export interface CompiledProgram {
  readonly ok: true;
  readonly program: Program;
}

export type ProgramCache = BoundedCache<string, CompiledProgram>;

export function programCache(): ProgramCache {
  return new BoundedCache({
    maxEntries: MAX_CACHED_PROGRAMS,
    maxBytes: MAX_CACHED_PROGRAM_BYTES,
    sizeBytes: (text) => text.length * BYTES_PER_CHARACTER,
    // Reviews bring expressions that nobody asks for again.
    eviction: "segmented",
  });
}

/** Of a text: the syntax tree, its types and the plan are much larger than it. */
const BYTES_PER_CHARACTER = 200;
