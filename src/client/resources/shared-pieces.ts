// What followers of one process have in common: an event that reaches several of them as the very same piece of memory is read
// by the first, and the object that it made of it is everybody's.

import type { Stored } from "./resource-type.ts";

/** Makes an object fit to be everybody's. */
export interface Sharing<T> {
  /** What of objects is kept: followers who say the same get the same objects. */
  readonly shape: "whole" | "without managers";
  /** The object, which is nobody else's yet, frozen all through. */
  share(object: Stored<T>): Stored<T>;
}

/** By piece, for as long as the server itself remembers the piece. */
type ReadPieces = WeakMap<Uint8Array, unknown>;

const pieces: Readonly<Record<Sharing<never>["shape"], ReadPieces>> = {
  whole: new WeakMap(),
  "without managers": new WeakMap(),
};

/** What others have made of pieces. */
export function readPieces({ shape }: Sharing<never>): ReadPieces {
  return pieces[shape];
}
