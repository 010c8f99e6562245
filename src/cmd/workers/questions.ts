// Questions to the process at the other end of a channel, by number, until they are answered.

export class Questions<Answer> {
  readonly #open = new Map<number, (answer: Answer) => void>();
  #nextId = 1;

  /** Resolves with the answer. Whoever can do without one gives it himself after a while. */
  ask(send: (id: number) => void): Promise<Answer> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      send(id);
    });
  }

  /** The first answer counts. */
  answer(id: number, answer: Answer): void {
    const resolve = this.#open.get(id);
    this.#open.delete(id);
    resolve?.(answer);
  }
}
