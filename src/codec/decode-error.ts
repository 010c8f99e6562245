// What a decoder throws when bytes are not what they claim to be. The message is upstream's, because it reaches the
// caller inside a Status.

export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DecodeError";
  }
}

/** One map has more keys than the reader was told to take. */
export class CrowdedMap extends DecodeError {
  constructor() {
    super("a map has too many keys");
    this.name = "CrowdedMap";
  }
}

/** An envelope was read that says what it carries; what it carries was not. */
export class MessageError extends DecodeError {
  readonly type: { readonly apiVersion: string; readonly kind: string };

  constructor(message: string, type: MessageError["type"]) {
    super(message);
    this.name = "MessageError";
    this.type = type;
  }
}

/** Deeper documents are refused in every encoding: all readers of decoded values recurse. */
export const MAX_NESTING_DEPTH = 1_000;

/** What a decoder hands on. */
export interface Decoded<T> {
  readonly value: T;
  /** One text per repeated key, as warnings and strict errors show it: `duplicate field "spec.replicas"`. */
  readonly duplicates: readonly string[];
  /** Numbers whose text says more than their value; see odd-numbers.ts. */
  readonly oddNumbers: readonly OddNumber[];
}

/** An integer written as 1.0 or 1e2, or one beyond 64 bits. */
export interface OddNumber {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** At most this many duplicates are reported, as upstream does. */
export const MAX_DUPLICATES = 100;

/** Further numbers of this sort are taken by their value. */
export const MAX_ODD_NUMBERS = 1_000;

export const NO_DUPLICATES: readonly string[] = [];
export const NO_ODD_NUMBERS: readonly OddNumber[] = [];
