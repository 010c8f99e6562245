// What a server behind is sent with a request: who asks stands in headers of the proxy's own.

import type { Headers } from "../../../http/forwarded-headers.ts";
import { toWire } from "../../../http/header-text.ts";
import { StatusError } from "../../../meta/status-error.ts";
import type { UserInfo } from "../../../meta/user.ts";
import type { AuthorizedRequest } from "../../../registry/request.ts";
import { pathOf } from "../../request-path.ts";

/** Path and query: what was authorized, not what was sent. */
export function forwardedTarget({ target, url, path }: AuthorizedRequest): string {
  return `${pathOf(target)}${toWire(url.slice(path.length))}`;
}

/** On top of those that are forwarded anyway. `host`: the server behind, with its port. Fails as identityHeaders() does. */
export function proxyHeaders({ user, auditId }: AuthorizedRequest, host: string): Headers {
  return {
    ...identityHeaders(user),
    // Nobody behind has use for what a browser keeps for this server.
    cookie: [],
    host,
    "audit-id": toWire(auditId),
    "x-forwarded-host": host,
    "x-forwarded-proto": "https",
  };
}

/** What a server behind believes about the user, from a proxy that it knows. Fails with 403 for who cannot be named there. */
export function identityHeaders(user: UserInfo): Headers {
  const headers: Headers = { "x-remote-user": named(user.name) };
  if (user.uid !== undefined && user.uid !== "") headers["x-remote-uid"] = named(user.uid);
  if (user.groups.length > 0) headers["x-remote-group"] = user.groups.map(named);
  for (const [key, values] of Object.entries(user.extra ?? {}))
    headers[`x-remote-extra-${encodeHeaderKey(key)}`] = values.map(named);
  return headers;
}

/** What headers lose on their way, or cannot have at all. */
const NOT_IN_HEADERS = /^[ \t]|[ \t]$|[\x00-\x08\x0a-\x1f\x7f]/;

/** Whoever is "admin " here must not be "admin" there. */
function named(text: string): string {
  if (!NOT_IN_HEADERS.test(text)) return toWire(text);
  const why = "a name of the user, or of a group, has blanks at its ends or characters of control";
  throw new StatusError(403, "Forbidden", `the server behind cannot be told who asks: ${why}`);
}

/** Bytes that a header name cannot have are written as percent escapes. */
function encodeHeaderKey(key: string): string {
  return Array.from(Buffer.from(key), (byte) => {
    const char = String.fromCharCode(byte);
    return /[!#$&'*+.^_`|~0-9A-Za-z-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
