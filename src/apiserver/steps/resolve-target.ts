// Step: path and method -> what the request is about. Knows no kinds: an unknown resource is refused only after
// authorization, so that nobody learns from a 404 what they may not see. Requirements: document 1, "Path shapes", "Verbs".

import { randomUUID } from "node:crypto";
import { BoundedCache } from "../../base/bounded-cache.ts";
import type { ReceivedRequest, Response } from "../../http/message.ts";
import type { Step } from "../../http/pipeline.ts";
import { type Target, type TargetedRequest, targetedRequest } from "../../registry/request.ts";

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Sub-resources of a namespace; any other word after its name is a resource in it. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(["status", "finalize"]);

/** A client's own id is taken over when it is not unreasonable. */
const MAX_AUDIT_ID_LENGTH = 64;

/** Clients ask for the same paths again and again. Nobody has shown who they are yet: what is remembered is bounded. */
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
  const known = new BoundedCache<string, Target>(REMEMBERED);
  const resolve = (request: ReceivedRequest): Target | undefined => {
    // A query can turn a list into a watch; without one, method and path say it all.
    if (request.url !== request.path || request.path.length > MAX_REMEMBERED_LENGTH)
      return targetOf(request.method, request.path, request);
    const key = `${request.method} ${request.path}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const target = targetOf(request.method, request.path, request);
    if (target !== undefined) known.set(key, target);
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

export function targetOf(method: string, path: string, request: Pick<ReceivedRequest, "query">): Target | undefined {
  const decoded = decodePath(path);
  if (decoded === undefined) return undefined;
  const parts = decoded.split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  const nonResource: Target = { type: "path", verb: method.toLowerCase(), path };
  const prefix = parts[0];
  if ((prefix !== "api" && prefix !== "apis") || parts.includes("")) return nonResource;
  // /api/v1/x and /apis/group/version/x are the shortest resource paths.
  const versionAt = prefix === "api" ? 1 : 2;
  if (parts.length < versionAt + 2) return nonResource;
  const group = prefix === "api" ? "" : parts[1]!;
  const version = parts[versionAt]!;
  let rest = parts.slice(versionAt + 1);

  let verb = VERBS[method] ?? "";
  if (rest[0] === "watch" && rest.length > 1) {
    verb = "watch";
    rest = rest.slice(1);
  } else if (rest[0] === "proxy" && rest.length > 1) {
    verb = "proxy";
    rest = rest.slice(1);
  }

  let namespace = "";
  if (rest[0] === "namespaces" && rest.length > 1) {
    namespace = rest[1]!;
    // Below a namespace stands a resource, except for the namespace's own sub-resources.
    if (rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2]!)) rest = rest.slice(2);
  }
  const resource = rest[0]!;
  const name = rest[1] ?? "";
  const subresource = rest[2] ?? "";

  if (verb === "get" && name === "") verb = "list";
  if (verb === "delete" && name === "") verb = "deletecollection";
  if (verb === "list" || verb === "get") {
    const watch = request.query.get("watch");
    if (subresource === "" && watch !== null && isTrue(watch)) verb = "watch";
  }
  return {
    type: "resource",
    verb,
    prefix,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    rest: rest.slice(3),
  };
}

/** A query flag as upstream reads it: present without a value counts as set. */
function isTrue(value: string): boolean {
  return value.toLowerCase() !== "false" && value !== "0";
}

/** As upstream, the path is decoded before it is taken apart. Undefined when it is not valid percent-encoding. */
function decodePath(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function malformedPath(): Response {
  const body = Buffer.from("400 Bad Request");
  return { status: 400, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}
