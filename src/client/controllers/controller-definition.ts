// What a controller declares.

import type { ObjectKey } from "../../meta/object.ts";
import type { EventRecorder } from "../event-recorder.ts";
import type { ObjectReader } from "../informer.ts";
import type { ResourceClient } from "../resource-client.ts";
import type { ApiKind, Stored } from "../resources/resource-type.ts";
import type { OwnedBy, Predicate, WatchDeclaration } from "./watch-declaration.ts";

/** What follows from a look at an object. */
export type Outcome = { readonly again: "never" } | { readonly again: "after"; readonly ms: number };

/** Nothing until something changes. */
export const done: Outcome = { again: "never" };

/** Another look after so many milliseconds, whatever happens before. */
export const againAfterMs = (ms: number): Outcome => ({ again: "after", ms });

export interface ReconcileContext<C extends ResourceClient = ResourceClient> {
  readonly client: C;
  readonly key: ObjectKey;
  /** Aborted when the controller stops. */
  readonly signal: AbortSignal;
  readonly recorder: EventRecorder;
  /** The objects of an owned kind whose controller this object is. Frozen. */
  owned<O>(kind: ApiKind<O>): Stored<O>[];
  /** The local copy of a kind that the controller works for, owns or watches. */
  cache<O>(kind: ApiKind<O>): ObjectReader<O>;
  /** How often this object has failed in a row. */
  readonly failures: number;
}

export interface ControllerDefinition<T, C extends ResourceClient = ResourceClient> {
  readonly name: string;
  readonly for: ApiKind<T>;
  /** All namespaces when not given. */
  readonly namespace?: string | undefined;
  /** Which changes of the object itself are worth a look; all when not given. */
  readonly predicate?: Predicate<T> | undefined;
  /** Kinds that this controller creates: a change of one is a look at its owner. Plain kinds, or `owned(kind, ...)`. */
  readonly owns?: readonly (ApiKind<object> | OwnedBy)[] | undefined;
  /** Others on which the outcome depends: `watched(kind, (object) => keys)`. */
  readonly watches?: readonly WatchDeclaration[] | undefined;
  /** Objects looked at side by side; 1 when not given. Never the same one twice. */
  readonly concurrency?: number | undefined;
  /** Every object is looked at again after so long. */
  readonly resyncMs?: number | undefined;
  /** The finalizer that keeps an object until `finalize` is done. */
  readonly finalizer?: string | undefined;
  /**
   * Brings the world nearer to what the object asks for. The object is frozen, and never older than what this controller's
   * own client has last written of it; a failure is tried again, later each time.
   */
  reconcile(object: Stored<T>, context: ReconcileContext<C>): Promise<Outcome | undefined>;
  /** Cleans up behind an object that is being deleted. The finalizer goes when this ends with `done`. */
  finalize?(object: Stored<T>, context: ReconcileContext<C>): Promise<Outcome | undefined>;
  /** An object has gone for good. */
  gone?(context: ReconcileContext<C>): Promise<Outcome | undefined>;
}

/** A controller ready to run, whatever its kind. */
export interface AnyController {
  readonly definition: ControllerDefinition<object>;
}

export function defineController<T, C extends ResourceClient = ResourceClient>(
  definition: ControllerDefinition<T, C>,
): AnyController {
  if ((definition.finalizer === undefined) !== (definition.finalize === undefined))
    throw new Error(`controller ${definition.name}: a finalizer and finalize() belong together`);
  return { definition: definition as unknown as ControllerDefinition<object> };
}
