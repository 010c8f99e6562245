// The headers of a request as a server behind receives them: who asks stands in headers of the proxy's own.

import type { UserInfo } from "../../../meta/user.ts";
import type { AuthorizedRequest } from "../../../registry/request.ts";

/** They belong to one connection, not to the request. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Never passed on: credentials, and what only a proxy may say. */
const OURS =
  /^(?:authorization|x-remote-.*|impersonate-.*|x-forwarded-(?:for|uri|host|proto)|content-length|host|cookie|audit-id|:.*)$/;

/** This server alone says who may read its answers. */
const NOT_THEIRS = /^access-control-allow-(?:credentials|headers|methods|origin)$/;

export type Headers = Record<string, string | string[]>;

/** `host`: the server behind, with its port. */
export function forwardedHeaders(request: AuthorizedRequest, host: string): Headers {
  const headers: Headers = {};
  for (const name of request.headers.namesWithPrefix("")) {
    if (HOP_BY_HOP.has(name) || OURS.test(name)) continue;
    headers[name] = [...request.headers.all(name)];
  }
  const before = request.headers.all("x-forwarded-for");
  return {
    ...headers,
    ...identityHeaders(request.user),
    host,
    "audit-id": request.auditId,
    "x-forwarded-for": [...before, request.remoteAddress].join(", "),
    "x-forwarded-uri": request.path,
    "x-forwarded-host": host,
    "x-forwarded-proto": "https",
  };
}

/** What a server behind believes about the user, from a proxy that it knows. */
export function identityHeaders(user: UserInfo): Headers {
  const headers: Headers = { "x-remote-user": user.name };
  if (user.uid !== undefined && user.uid !== "") headers["x-remote-uid"] = user.uid;
  if (user.groups.length > 0) headers["x-remote-group"] = [...user.groups];
  for (const [key, values] of Object.entries(user.extra ?? {}))
    headers[`x-remote-extra-${encodeHeaderKey(key)}`] = [...values];
  return headers;
}

/** Bytes that a header name cannot have are written as percent escapes. */
function encodeHeaderKey(key: string): string {
  return Array.from(Buffer.from(key), (byte) => {
    const char = String.fromCharCode(byte);
    return /[!#$&'*+.^_`|~0-9A-Za-z-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

export function answerHeaders(headers: NodeJS.Dict<string | string[]>): Headers {
  const kept: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_BY_HOP.has(name) || name === "content-length" || NOT_THEIRS.test(name)) continue;
    kept[name] = value;
  }
  return kept;
}
