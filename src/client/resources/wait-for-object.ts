// Waits for one object to be as somebody wants it, by one watch: its state first, then every change, and the state again
// where the server has forgotten the place. Requirements: document 1, "List and watch semantics".

import { jsonText } from "../../codec/json.ts";
import { whereField } from "../../meta/field-selector.ts";
import { followResource } from "./follow-resource.ts";
import type { RequestOptions, RequestSender } from "./request-sender.ts";
import type { ResourceType, Stored } from "./resource-type.ts";

export interface WaitOptions extends RequestOptions {
  /** As long as it takes when not given. */
  readonly timeoutMs?: number | undefined;
}

/** What was waited for did not come in time. The cause is why nothing was heard at the end, where that was so. */
export class WaitTimeout extends Error {
  /** As it was last; undefined where there was none, or nothing was heard of it. */
  readonly lastSeen: Stored<object> | undefined;

  constructor(message: string, lastSeen: Stored<object> | undefined, options?: ErrorOptions) {
    super(message, options);
    this.name = "WaitTimeout";
    this.lastSeen = lastSeen;
  }
}

interface Awaited {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * The first state that is `reached`; undefined stands for no such object. Fails with WaitTimeout, ApiError, the reason of the
 * signal, and with what `reached` throws.
 */
export async function waitForObject<T>(
  sender: RequestSender,
  awaited: Awaited,
  reached: (object: Stored<T> | undefined) => boolean,
  { timeoutMs, signal, onWarning }: WaitOptions,
): Promise<Stored<T> | undefined> {
  const { type, namespace, name } = awaited;
  const timeout = new AbortController();
  const timer = timeoutMs === undefined ? undefined : sender.clock.setTimer(timeoutMs, () => timeout.abort());
  let seen: { readonly object: Stored<T> | undefined } | undefined;
  let failure: unknown;
  const changes = followResource<T>(
    sender,
    { type, namespace },
    {
      fieldSelector: whereField("metadata.name", name),
      signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
      onWarning,
      onRetry: (error) => {
        failure = error;
      },
    },
  );
  try {
    for await (const change of changes) {
      failure = undefined;
      if (change.type === "BOOKMARK") continue;
      const object = change.type === "SYNC" ? change.items[0] : change.type === "DELETED" ? undefined : change.object;
      seen = { object };
      if (reached(object)) return object;
    }
    throw new Error("a watch has ended by itself");
  } catch (error) {
    if (error !== timeout.signal.reason) throw error;
    const where = namespace === undefined || !type.namespaced ? "" : ` in namespace ${JSON.stringify(namespace)}`;
    const last = seen === undefined ? "nothing was heard of it" : `last seen: ${stateText(seen.object)}`;
    const why = failure instanceof Error ? `; at the end: ${failure.message}` : "";
    const message = `waited ${timeoutMs} ms for ${type.resource} ${JSON.stringify(name)}${where}, ${last}${why}`;
    throw new WaitTimeout(message, seen?.object, failure === undefined ? {} : { cause: failure });
  } finally {
    timer?.cancel();
  }
}

/** Whether the object that was there first is there no more; another one in its place is not the same. */
export function isGone(): (object: Stored<unknown> | undefined) => boolean {
  let firstUid: string | undefined;
  return (object) => {
    firstUid ??= object?.metadata.uid;
    return object === undefined || object.metadata.uid !== firstUid;
  };
}

/** A status may be long, and who reads it wants to see why it is not yet another one. */
const MAX_STATUS_LETTERS = 500;

function stateText(object: Stored<object> | undefined): string {
  if (object === undefined) return "there is none";
  const { resourceVersion, deletionTimestamp, finalizers = [] } = object.metadata;
  const { status } = object as { readonly status?: unknown };
  const text = status === undefined ? "" : jsonText(status as never);
  return [
    `resourceVersion ${resourceVersion}`,
    ...(deletionTimestamp === undefined ? [] : [`to be deleted since ${deletionTimestamp}`]),
    ...(deletionTimestamp === undefined || finalizers.length === 0 ? [] : [`kept by ${finalizers.join(", ")}`]),
    ...(text === ""
      ? []
      : [`status ${text.slice(0, MAX_STATUS_LETTERS)}${text.length > MAX_STATUS_LETTERS ? "..." : ""}`]),
  ].join(", ");
}
