// Changes that are worth a look.

import { equalJson } from "../../base/json.ts";
import type { Predicate } from "./watch-declaration.ts";

/** What the object asks for has changed, or it is being deleted: not its status alone. */
export const generationChanged: Predicate<object> = ({ metadata }, old) =>
  old === undefined ||
  metadata.generation !== old.metadata.generation ||
  metadata.deletionTimestamp !== old.metadata.deletionTimestamp;

export const labelsChanged: Predicate<object> = ({ metadata }, old) =>
  old === undefined || !equalJson(metadata.labels ?? {}, old.metadata.labels ?? {});

export const annotationsChanged: Predicate<object> = ({ metadata }, old) =>
  old === undefined || !equalJson(metadata.annotations ?? {}, old.metadata.annotations ?? {});

/** Any of several. */
export function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (object, old) => predicates.some((predicate) => predicate(object, old));
}
