// The text of a file that others renew while we run: tokens, certificates. Read at first use, and again when it is old.

import type { Clock } from "../../base/clock.ts";
import { readSmallFile } from "../../base/read-small-file.ts";

/** How long a text counts before the file is looked at again. */
const MAX_AGE_MS = 60_000;

export class RereadFile {
  readonly #path: string;
  readonly #clock: Clock;
  #text: string | undefined;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<string> | undefined;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** Fails only when the file could never be read: a good text outlives a file that is just being replaced. */
  read(): Promise<string> {
    if (this.#text !== undefined && this.#clock.nowMs() - this.#readAtMs < MAX_AGE_MS) {
      return Promise.resolve(this.#text);
    }
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** The next read looks at the file. */
  expire(): void {
    this.#readAtMs = Number.NEGATIVE_INFINITY;
  }

  async #readNow(): Promise<string> {
    try {
      this.#text = (await readSmallFile(this.#path)).toString("utf8");
      this.#readAtMs = this.#clock.nowMs();
      return this.#text;
    } catch (error) {
      if (this.#text === undefined) throw error;
      return this.#text;
    }
  }
}
