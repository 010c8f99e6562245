// Read, change, write, and again after a conflict: the way to change an object that others change too.

import { Backoff } from "../../base/backoff.ts";
import { cloneJson, equalJson, isObject } from "../../base/json.ts";
import type { ObjectKey } from "../../meta/object.ts";
import { isApiError } from "../api-error.ts";
import type { RequestSender } from "./request-sender.ts";
import type { Stored } from "./resource-type.ts";
import type { WriteOptions } from "./write-options.ts";

/** Which object: by name where the resource knows the namespace, else by namespace and name. */
export type NameOrKey = string | ObjectKey;

/** Changes the object that it is given, or returns another in its place. */
export type Modification<T> = ((object: Stored<T>) => Stored<T>) | ((object: Stored<T>) => void);

export interface ModifyOptions extends WriteOptions {
  /** 10 when not given. */
  readonly maxAttempts?: number | undefined;
}

const CONFLICT_BACKOFF = { firstMs: 10, maxMs: 1_000, jitter: 1 };
const MAX_ATTEMPTS = 10;

/** Reads, changes and writes until no other writer comes between. */
export async function modifyObject<T>(
  sender: RequestSender,
  { read, write }: { read(): Promise<Stored<T>>; write(object: Stored<T>): Promise<Stored<T>> },
  change: Modification<T>,
  { maxAttempts = MAX_ATTEMPTS, signal }: ModifyOptions,
): Promise<Stored<T>> {
  const backoff = new Backoff(CONFLICT_BACKOFF, sender.random);
  for (let attempt = 1; ; attempt += 1) {
    const current = await read();
    const copy = cloneJson(current);
    const returned = change(copy) as unknown;
    const changed = isObject(returned) && "metadata" in returned ? (returned as unknown as Stored<T>) : copy;
    if (equalJson(changed, current)) return current;
    try {
      return await write(changed);
    } catch (error) {
      if (!isApiError(error, "Conflict") || attempt >= maxAttempts) throw error;
      await sender.clock.sleep(backoff.nextMs(), signal);
    }
  }
}

/** Where an object that is written whole belongs. */
export function keyOfDraft(object: unknown): ObjectKey {
  const { metadata = {} } = object as { metadata?: { namespace?: string; name?: string } };
  if (metadata.name === undefined) throw new Error("the object has no metadata.name");
  return metadata.namespace === undefined
    ? { name: metadata.name }
    : { namespace: metadata.namespace, name: metadata.name };
}
