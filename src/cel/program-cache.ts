// Compiled programs by their text, in two generations: what nobody asked for while a generation filled up goes with the
// next. Unlike an order of use, this costs nothing per look-up and leaves no gaps behind.

import { MAX_CACHED_PROGRAMS } from "./limits.ts";
import type { Program } from "./program.ts";

/** What compiling gave, one object for all who ask. */
export interface CompiledProgram {
  readonly ok: true;
  readonly program: Program;
}

export class ProgramCache {
  #young = new Map<string, CompiledProgram>();
  #old = new Map<string, CompiledProgram>();

  get(text: string): CompiledProgram | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  set(text: string, compiled: CompiledProgram): void {
    if (this.#young.size >= MAX_CACHED_PROGRAMS / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, compiled);
  }
}
