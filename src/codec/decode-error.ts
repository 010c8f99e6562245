// What a decoder throws when bytes are not what they claim to be. The message is upstream's, because it reaches the
// caller inside a Status.

export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DecodeError";
  }
}

/** Deeper documents are refused in every encoding: all readers of decoded values recurse. */
export const MAX_NESTING_DEPTH = 1_000;

/** What a decoder hands on. */
export interface Decoded<T> {
  readonly value: T;
  /** One text per repeated key, as warnings and strict errors show it: `duplicate field "spec.replicas"`. */
  readonly duplicates: readonly string[];
  /**
   * Numbers whose text says more than their value: integers written as 1.0 or 1e2, and integers beyond 64 bits. By path
   * (`spec.ports[0].port`), the text. A field of an integer type refuses them, with this text in the message.
   */
  readonly oddNumbers: ReadonlyMap<string, string>;
}

/** At most this many duplicates are reported, as upstream does. */
export const MAX_DUPLICATES = 100;

export const NO_DUPLICATES: readonly string[] = [];
export const NO_ODD_NUMBERS: ReadonlyMap<string, string> = new Map();
