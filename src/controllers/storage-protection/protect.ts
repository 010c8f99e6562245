// What the controllers of storage protection share: the finalizer comes and goes.

import { cloneJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { Resource } from "../../client/resource-client.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { type Controller, done } from "../framework/controller.ts";
import { judgeProtection } from "./judge-protection.ts";

interface ProtectionParts<T> {
  readonly objects: Informer<T>;
  readonly live: Resource<T>;
  readonly finalizer: string;
  isUsed(object: Stored<T>): boolean | Promise<boolean>;
}

export function reconcileProtection<T>({
  objects,
  live,
  finalizer,
  isUsed,
}: ProtectionParts<T>): Controller["reconcile"] {
  const write = async (object: Stored<T>, finalizers: string[]): Promise<void> => {
    // With its version: whoever came between may have begun to use it, or has written finalizers.
    const changed = cloneJson(object);
    changed.metadata.finalizers = finalizers;
    try {
      await live.update(changed as Draft<T>);
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
  };
  return async (key) => {
    const object = objects.cache.get(key);
    if (object === undefined) return done;
    const { finalizers = [] } = object.metadata;
    switch (judgeProtection(object.metadata, finalizer)) {
      case "add":
        await write(object, [...finalizers, finalizer]);
        break;
      case "ask":
        if (!(await isUsed(object)))
          await write(
            object,
            finalizers.filter((each) => each !== finalizer),
          );
        break;
      case "keep":
        break;
    }
    return done;
  };
}
