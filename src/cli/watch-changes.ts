// Changes of objects as the server tells of them, in any form it has: whole objects or rows of tables.

import { isObject, type JsonObject } from "../base/json.ts";
import { ApiError, readApiError } from "../client/api-error.ts";
import { type DiscoveredResource, pathOf } from "../client/discovery.ts";
import { EventLines } from "../client/event-lines.ts";
import { decodeJson } from "../codec/json.ts";
import type { StatusBody } from "../meta/status-error.ts";
import { memberOf, textAt } from "./json-members.ts";
import { withQuery } from "./list-pages.ts";
import type { Session } from "./session.ts";

interface WatchWish {
  readonly resource: DiscoveredResource;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** From there on. */
  readonly resourceVersion: string;
  readonly accept?: string | undefined;
  /** Once, and no longer; until the user has had enough when not given. */
  readonly onlyForSeconds?: number;
}

interface SeenChange {
  readonly type: string;
  readonly object: JsonObject;
}

/** A server that ends every watch at once is asked for another no more often than this. */
const WATCH_EVERY_MS = 1_000;

/** Until the user has had enough. A watch that the server ends goes on where it was. Fails with ApiError. */
export async function* watchChanges(session: Session, wish: WatchWish): AsyncGenerator<SeenChange> {
  const { interrupted } = session.terminal;
  let { resourceVersion } = wish;
  while (!interrupted.aborted) {
    const begunMs = session.clock.monotonicMs();
    for await (const change of watchOnce(session, wish, resourceVersion)) {
      const version = versionOf(change.object);
      if (version !== "") resourceVersion = version;
      if (change.type === "ERROR") throw watchError(wish, change.object);
      if (change.type !== "BOOKMARK") yield change;
    }
    if (wish.onlyForSeconds !== undefined) return;
    const leftMs = begunMs + WATCH_EVERY_MS - session.clock.monotonicMs();
    if (leftMs > 0) await session.pause(leftMs);
  }
}

async function* watchOnce(
  session: Session,
  { resource, namespace, labelSelector, fieldSelector, accept, onlyForSeconds }: WatchWish,
  resourceVersion: string,
): AsyncGenerator<SeenChange> {
  const query = new URLSearchParams({
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion,
    ...(onlyForSeconds === undefined ? {} : { timeoutSeconds: String(onlyForSeconds) }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  });
  const request = {
    method: "GET" as const,
    path: withQuery(pathOf(resource, namespace), query),
    ...(accept === undefined ? {} : { headers: { accept } }),
    signal: session.terminal.interrupted,
  };
  const response = await session.transport.request(request);
  if (response.status >= 300) throw await readApiError(request, response);
  const lines = new EventLines();
  for await (const piece of response.stream()) {
    for (const line of lines.push(piece)) {
      const event = decodeJson(line).value;
      if (isObject(event)) yield { type: textAt(event, "type"), object: memberOf(event, "object") };
    }
  }
}

function watchError({ resource, namespace }: WatchWish, status: JsonObject): ApiError {
  const message = textAt(status, "message") || "the watch has failed";
  return new ApiError({
    status: { ...(status as unknown as StatusBody), message },
    request: { method: "GET", path: pathOf(resource, namespace) },
  });
}

/** Of an object, or of the row of a table. */
function versionOf(object: JsonObject): string {
  return textAt(memberOf(object, "metadata"), "resourceVersion");
}
