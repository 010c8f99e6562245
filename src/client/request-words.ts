// What a request asks for, in words for people: `patch deployments/scale "web" in namespace "shop"`.

import { goQuote } from "../base/go-quote.ts";
import type { ApiRequest } from "./transport.ts";

/** Verb, resource, name and namespace of requests for objects; method and path of others. */
export function requestWords(method: ApiRequest["method"], path: string): string {
  const target = targetOf(path);
  if (target === undefined) return `${method} ${path}`;
  const { resource, subresource, name, namespace } = target;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const named = name === undefined ? "" : ` ${goQuote(name)}`;
  const where = namespace === undefined ? "" : ` in namespace ${goQuote(namespace)}`;
  return `${verbOf(method, path, name)} ${what}${named}${where}`;
}

interface Target {
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

function targetOf(path: string): Target | undefined {
  const match = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/([^?]+)/.exec(path);
  if (match === null) return undefined;
  const parts = match[1]!.split("/").map(decoded);
  const namespaced = parts[0] === "namespaces" && parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2]!);
  const [resource, name, ...rest] = namespaced ? parts.slice(2) : parts;
  const subresource = rest.join("/");
  return {
    resource: resource!,
    ...(namespaced ? { namespace: parts[1]! } : {}),
    ...(name === undefined || name === "" ? {} : { name }),
    ...(subresource === "" ? {} : { subresource }),
  };
}

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(["status", "finalize"]);

function verbOf(method: ApiRequest["method"], path: string, name: string | undefined): string {
  switch (method) {
    case "GET":
    case "HEAD":
      if (/[?&]watch=(?:true|1)(?:&|$)/.test(path)) return "watch";
      return name === undefined ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === undefined ? "delete all" : "delete";
    case "OPTIONS":
      return "options of";
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
