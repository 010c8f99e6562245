// What a controller looks at beside its own kind.

import type { ObjectKey } from "../../meta/object.ts";
import type { ApiKind, Stored } from "../resources/resource-type.ts";

/** Whether a change is worth a look. `old` is undefined for objects that have come or gone. */
export type Predicate<T> = (object: Stored<T>, old: Stored<T> | undefined) => boolean;

export interface WatchDeclaration {
  readonly kind: ApiKind<object>;
  readonly predicate: Predicate<object> | undefined;
  /** The objects to look at after a change of this one. */
  readonly keysOf: (object: Stored<object>) => Iterable<ObjectKey>;
}

export interface OwnedBy {
  readonly ownedKind: ApiKind<object>;
  readonly predicate: Predicate<object> | undefined;
}

/** An owned kind of which only some changes matter. */
export function owned<O>(kind: ApiKind<O>, predicate: Predicate<O>): OwnedBy {
  return { ownedKind: kind as ApiKind<unknown> as ApiKind<object>, predicate: predicate as Predicate<object> };
}

/** A kind on which others depend, and which ones. */
export function watched<O>(
  kind: ApiKind<O>,
  keysOf: (object: Stored<O>) => Iterable<ObjectKey>,
  predicate?: Predicate<O>,
): WatchDeclaration {
  return {
    kind: kind as ApiKind<unknown> as ApiKind<object>,
    keysOf: keysOf as WatchDeclaration["keysOf"],
    predicate: predicate as Predicate<object> | undefined,
  };
}
