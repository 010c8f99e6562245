// What a path is: read once, for those who authorize a request and for those who serve or forward it. Knows no kinds.
// Requirements: document 1, "Path shapes", "Verbs".

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
  const parts = decoded.split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  const nonResource: Target = { type: "path", verb: method.toLowerCase(), path: decoded };
  const prefix = parts[0];
  if (prefix !== "api" && prefix !== "apis") return nonResource;
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
  const behind = rest.slice(3);
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
    rest: behind,
    parts,
    isWellFormed: isWellFormed(parts.slice(0, parts.length - behind.length)),
  };
}

/** Others take empty parts and dots for something else than a name: nothing is served or forwarded by them. */
const isWellFormed = (parts: readonly string[]): boolean =>
  parts.every((part) => part !== "" && part !== "." && part !== "..");

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

/** A query flag as upstream reads it: present without a value counts as set. */
function isTrue(value: string): boolean {
  return value.toLowerCase() !== "false" && value !== "0";
}

/** As upstream, the path is decoded before it is taken apart. */
function decodePath(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
