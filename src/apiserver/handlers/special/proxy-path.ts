// Where a proxy request leads: the parts of its name, and the path behind `proxy`.

import type { Response } from "../../../http/message.ts";
import type { AuthorizedRequest, ResourceTarget } from "../../../registry/request.ts";

export interface ProxyName {
  readonly scheme: "http" | "https";
  readonly name: string;
  /** A number or the name of a port; empty when not given. */
  readonly port: string;
}

/** `web`, `web:80`, `https:web:`, `https:web:8443`; undefined for anything else. */
export function splitName(text: string): ProxyName | undefined {
  const parts = text.split(":");
  if (parts.length > 3) return undefined;
  const [scheme, name, port] = parts.length === 3 ? parts : ["", ...parts, ""];
  if (name === undefined || name === "" || (scheme !== "" && scheme !== "http" && scheme !== "https")) return undefined;
  return { scheme: scheme === "https" ? "https" : "http", name, port: port ?? "" };
}

/** The path on the other side with its query, and the path that leads there. */
export function mountOf(request: AuthorizedRequest, target: ResourceTarget): { path: string; mount: string } {
  // The rest is cut from the path as it was sent, so that nothing is decoded that the other side must decode.
  const decodedLength = (raw: string) => decodeURIComponent(raw).split("/").length;
  const segments = request.path.replace(/\/$/, "").split("/");
  let left = segments.reduce((sum, raw) => sum + decodedLength(raw), 0) - target.rest.length;
  let count = 0;
  for (; left > 0; count += 1) left -= decodedLength(segments[count]!);
  const mount = segments.slice(0, count).join("/");
  const question = request.url.indexOf("?");
  const rest = request.path.slice(mount.length);
  return { path: `${rest === "" ? "/" : rest}${question < 0 ? "" : request.url.slice(question)}`, mount };
}

/** Relative links of the other side's first page need a slash at the end of its path. */
export function redirectToFolder(request: AuthorizedRequest, target: ResourceTarget): Response | undefined {
  if (target.rest.length > 0 || request.path.endsWith("/") || request.method !== "GET") return undefined;
  const question = request.url.indexOf("?");
  const query = question < 0 ? "" : request.url.slice(question);
  return { status: 301, headers: { location: `${request.path}/${query}` }, body: new Uint8Array() };
}
