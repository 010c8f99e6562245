// What processes that serve together have learnt from somebody outside, the verdicts of webhooks: one tells, and all remember, so
// that nobody is asked twice.

/** The value is plain data: it travels between processes. */
export interface SharedAnswer {
  /** What it is an answer of; those who hear of a topic understand its values. */
  readonly topic: string;
  readonly key: string;
  readonly value: unknown;
  /** For how long it counts. */
  readonly lifeMs: number;
}

export class SharedAnswers {
  readonly #send: (answer: SharedAnswer) => void;
  readonly #ears = new Map<string, Set<(answer: SharedAnswer) => void>>();

  /** `send` reaches all others. */
  constructor(send: (answer: SharedAnswer) => void) {
    this.#send = send;
  }

  /** To the others: whoever tells has remembered it. */
  tell(answer: SharedAnswer): void {
    this.#send(answer);
  }

  /** One of the others has told. */
  receive(answer: SharedAnswer): void {
    for (const ear of this.#ears.get(answer.topic) ?? []) ear(answer);
  }

  /** Until the returned function is called. */
  hear(topic: string, ear: (answer: SharedAnswer) => void): () => void {
    const ears = this.#ears.get(topic) ?? new Set();
    this.#ears.set(topic, ears.add(ear));
    return () => {
      ears.delete(ear);
      if (ears.size === 0 && this.#ears.get(topic) === ears) this.#ears.delete(topic);
    };
  }
}
