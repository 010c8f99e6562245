// The usual ways from a change of an object to a key in the queue.

import { type InformerHandlers, keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { KeyQueue } from "./controller.ts";

/** Every change of an object is a reason to look at it. */
export function enqueueItself<T>(
  queue: KeyQueue,
  wanted: (object: Stored<T>) => boolean = () => true,
): InformerHandlers<T> {
  const add = (object: Stored<T>): void => {
    if (wanted(object)) queue.add(keyText(keyOf(object)));
  };
  return { added: add, updated: add, deleted: add };
}

/** Every change of an object is a reason to look at others, before and after it. */
export function enqueueOthers<T>(
  queue: KeyQueue,
  keysOf: (object: Stored<T>) => Iterable<string>,
): InformerHandlers<T> {
  const add = (object: Stored<T>): void => {
    for (const key of keysOf(object)) queue.add(key);
  };
  return {
    added: add,
    deleted: add,
    updated(now, before) {
      add(before);
      add(now);
    },
  };
}
