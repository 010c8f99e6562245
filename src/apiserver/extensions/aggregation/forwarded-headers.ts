// The headers of a request as a server behind receives them: who asks stands in headers of the proxy's own.

import type { AuthorizedRequest } from "../../request.ts";

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
const OURS = /^(?:authorization|x-remote-.*|impersonate-.*|content-length|host|cookie|:.*)$/;

export type Headers = Record<string, string | string[]>;

export function forwardedHeaders(request: AuthorizedRequest): Headers {
  const headers: Headers = {};
  for (const name of request.headers.namesWithPrefix("")) {
    if (HOP_BY_HOP.has(name) || OURS.test(name)) continue;
    headers[name] = [...request.headers.all(name)];
  }
  const { user } = request;
  headers["x-remote-user"] = user.name;
  if (user.uid !== undefined && user.uid !== "") headers["x-remote-uid"] = user.uid;
  if (user.groups.length > 0) headers["x-remote-group"] = [...user.groups];
  for (const [key, values] of Object.entries(user.extra ?? {}))
    headers[`x-remote-extra-${encodeHeaderKey(key)}`] = [...values];
  const before = request.headers.all("x-forwarded-for");
  headers["x-forwarded-for"] = [...before, request.remoteAddress].join(", ");
  return headers;
}

/** Bytes that a header name cannot have are written as percent escapes. */
function encodeHeaderKey(key: string): string {
  return Array.from(Buffer.from(key), (byte) => {
    const char = String.fromCharCode(byte);
    return /[!#$&'*+.^_`|~0-9A-Za-z-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

export function answerHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name) && name !== "content-length") kept[name] = value;
  }
  return kept;
}
