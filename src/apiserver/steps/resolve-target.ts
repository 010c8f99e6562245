// Step: path and method -> what the request is about. An unknown resource is refused only after authorization, so that
// nobody learns from a 404 what they may not see. Requirements: document 1, "Path shapes", "Verbs".

import { randomUUID } from "node:crypto";
import { BoundedCache } from "../../base/bounded-cache.ts";
import type { ReceivedRequest, Response } from "../../http/message.ts";
import type { Step } from "../../http/pipeline.ts";
import { type Target, type TargetedRequest, targetedRequest } from "../../registry/request.ts";
import { targetOf } from "../request-path.ts";

/** A client's own id is taken over when it is not unreasonable. */
const MAX_AUDIT_ID_LENGTH = 64;

/** Clients ask for the same paths again and again, create into the same collections, and renew the same leases. */
const REMEMBERED_METHODS = ["GET", "POST", "PUT", "PATCH"];
/** For each of them. Nobody has shown who they are yet: what is remembered is bounded. */
const REMEMBERED = {
  maxEntries: 4_096,
  maxBytes: 4 * 1024 * 1024,
  // The path, and its parts in the target; a character takes two bytes where one of them is not Latin.
  sizeBytes: (path: string) => 4 * path.length + 400,
  eviction: "segmented",
} as const;
/** Longer paths are not those of objects. */
const MAX_REMEMBERED_LENGTH = 1_024;
export function resolveTarget(): Step<ReceivedRequest, TargetedRequest> {
  const byMethod = new Map(REMEMBERED_METHODS.map((method) => [method, new BoundedCache<string, Target>(REMEMBERED)]));
  const resolve = (request: ReceivedRequest): Target | undefined => {
    const { method, path, url } = request;
    const known = byMethod.get(method);
    // A query can turn a list into a watch; of everything else the path says it all.
    const isSaidByPath = method !== "GET" || url.length === path.length;
    if (known === undefined || !isSaidByPath || path.length > MAX_REMEMBERED_LENGTH)
      return targetOf(method, path, request);
    const found = known.get(path);
    if (found !== undefined) return found;
    const target = targetOf(method, path, request);
    if (target !== undefined) known.set(path, target);
    return target;
  };
  return function resolveTarget(request, next) {
    const target = resolve(request);
    // No later step can name what it refuses: the answer is plain text.
    if (target === undefined) return malformedPath();
    const given = request.headers.first("audit-id");
    const auditId = given !== undefined && given.length <= MAX_AUDIT_ID_LENGTH ? given : randomUUID();
    return next(targetedRequest(request, target, auditId));
  };
}

function malformedPath(): Response {
  const body = Buffer.from("400 Bad Request");
  return { status: 400, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}
