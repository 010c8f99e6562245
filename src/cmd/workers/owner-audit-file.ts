// The file of --audit-log-path as a worker sees it: lines go to the owner, who alone writes it and puts it aside when it is long.

import type { LineFile } from "../../audit/build-audit.ts";
import { nextTurn } from "../../base/next-turn.ts";

/** What the owner has not written yet beyond this is refused. */
const MAX_WAITING_CHARS = 32 * 1024 * 1024;

export class OwnerAuditFile implements LineFile {
  /** Resolves with what went wrong, or nothing. */
  readonly #write: (text: string) => Promise<string | undefined>;
  #lines: string[] = [];
  /** The lines that have come since the last turn, as one. */
  #batch: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #waitingChars = 0;

  constructor(write: (text: string) => Promise<string | undefined>) {
    this.#write = write;
  }

  append(line: string): Promise<void> {
    if (this.#waitingChars > MAX_WAITING_CHARS) return Promise.reject(new Error("too much is waiting to be written"));
    this.#lines.push(line);
    this.#waitingChars += line.length;
    this.#batch ??= nextTurn().then(() => this.#send());
    this.#last = this.#batch;
    return this.#batch;
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
  }

  async #send(): Promise<void> {
    const text = this.#lines.join("");
    this.#lines = [];
    this.#batch = undefined;
    const problem = await this.#write(text);
    this.#waitingChars -= text.length;
    if (problem !== undefined) throw new Error(problem);
  }
}
