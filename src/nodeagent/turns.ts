// Work on the same thing, one piece after the other.

export class Turns {
  /** The last piece that waits or is done, by what it is about. */
  readonly #last = new Map<string, Promise<void>>();

  /** Does `work` when everything that came before it for the key has ended, well or not. */
  async take(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const own = before.then(work, work);
    const settled = own.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      await own;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
