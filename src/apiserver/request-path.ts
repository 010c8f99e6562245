// What a path is: read once, for those who authorize a request and for those who serve or forward it. Knows no kinds.
// Requirements: document 1, "Path shapes", "Verbs".

import { isYesInQuery } from "../base/truth-words.ts";
import type { ReceivedRequest } from "../http/message.ts";
import type { Target } from "../registry/request.ts";

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

/** Undefined when the path is not valid percent-encoding. */
export function targetOf(method: string, path: string, request: Pick<ReceivedRequest, "query">): Target | undefined {
  const decoded = decodePath(path);
  if (decoded === undefined) return undefined;
  const parts = decoded.split("/");
  // What stands before the first slash.
  parts.shift();
  if (parts.at(-1) === "") parts.pop();
  const prefix = parts[0];
  // /api/v1/x and /apis/group/version/x are the shortest resource paths.
  const versionAt = prefix === "api" ? 1 : 2;
  if ((prefix !== "api" && prefix !== "apis") || parts.length < versionAt + 2)
    return { type: "path", verb: method.toLowerCase(), path: decoded };
  const group = prefix === "api" ? "" : parts[1]!;
  const version = parts[versionAt]!;

  let verb = VERBS[method] ?? "";
  let at = versionAt + 1;
  if ((parts[at] === "watch" || parts[at] === "proxy") && parts.length > at + 1) {
    verb = parts[at]!;
    at += 1;
  }

  let namespace = "";
  if (parts[at] === "namespaces" && parts.length > at + 1) {
    namespace = parts[at + 1]!;
    // Below a namespace stands a resource, except for the namespace's own sub-resources.
    if (parts.length > at + 2 && !NAMESPACE_SUBRESOURCES.has(parts[at + 2]!)) at += 2;
  }
  const resource = parts[at]!;
  const name = parts[at + 1] ?? "";
  const subresource = parts[at + 2] ?? "";

  if (verb === "get" && name === "") verb = "list";
  if (verb === "delete" && name === "") verb = "deletecollection";
  if (verb === "list" || verb === "get") {
    const watch = request.query.get("watch");
    if (subresource === "" && watch !== null && isYesInQuery(watch)) verb = "watch";
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
    rest: parts.length > at + 3 ? parts.slice(at + 3) : NOTHING,
    parts,
    isWellFormed: isWellFormed(parts, at + 3),
  };
}

const NOTHING: readonly string[] = [];

/** Others take empty parts and dots for something else than a name: nothing is served or forwarded by them. */
function isWellFormed(parts: readonly string[], end: number): boolean {
  for (let at = 0; at < parts.length && at < end; at++) {
    const part = parts[at];
    if (part === "" || part === "." || part === "..") return false;
  }
  return true;
}

/** The path of a target as another server is sent it: the very parts that were authorized, however they were written. */
export function pathOf(target: Target): string {
  if (target.type === "path") return encodePath(target.path);
  // One slash at the end is left out where a path is read: an empty last part needs one more.
  const { parts } = target;
  return encodePath(`/${parts.join("/")}${parts.at(-1) === "" ? "/" : ""}`);
}

/** As a path is written: what is no letter, digit or one of these marks is escaped. */
const encodePath = (path: string): string =>
  encodeURI(path).replace(/[?#[\]]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** As upstream, the path is decoded before it is taken apart. */
function decodePath(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
