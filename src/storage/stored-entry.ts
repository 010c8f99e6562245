// What a store holds under a key, and when it was written.

/** A position in the history of the store. Below 2^53: an exact integer; reaches clients as a decimal resourceVersion. */
export type Revision = number;

export interface StoredEntry {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision of the commit that wrote this value. */
  readonly revision: Revision;
}
