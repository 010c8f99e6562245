// Where a proxy request leads: the parts of its name, and the path behind `proxy`.

import type { Response } from "../../../http/message.ts";
import { badRequest } from "../../../meta/status-error.ts";
import type { AuthorizedRequest, ResourceTarget } from "../../../registry/request.ts";
import type { ResourceRequest } from "../../../registry/resource-request.ts";
import type { HandlerContext } from "../handler-context.ts";
import { admitConnect } from "./admit-connect.ts";

interface ProxyName {
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

/** The path on the other side with its query, and the path that leads there, when admission lets it pass. */
export async function admittedMount(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  kind: "PodProxyOptions" | "NodeProxyOptions" | "ServiceProxyOptions",
): Promise<{ path: string; mount: string }> {
  const { request, target } = resourceRequest;
  const { path, mount } = mountOf(request, target);
  const query = request.url.slice(request.path.length);
  const asked = path.slice(0, path.length - query.length);
  // Who asks for no path is not told to have asked for one.
  const options: { readonly path?: string } = mount.length === request.path.length ? {} : { path: asked };
  const admitted = await admitConnect(context, resourceRequest, kind, options);
  return { path: (admitted.path ?? "/") + query, mount };
}

/** The path on the other side with its query, and the path that leads there. Fails with 400. */
export function mountOf(request: AuthorizedRequest, target: ResourceTarget): { path: string; mount: string } {
  const { path, url } = request;
  // The rest is cut from the path as it was sent, so that nothing is decoded that the other side must decode: behind as
  // many slashes, written out or escaped, as the parts before it have.
  let slashes = target.parts.length - target.rest.length;
  let end = 0;
  for (const { index, 0: slash } of path.matchAll(/\/|%2f/gi)) {
    end = index;
    if (slashes === 0 && slash !== "/") throw badRequest("the slash behind the name of what is proxied is escaped");
    if (slashes === 0) break;
    slashes -= 1;
    end = path.length;
  }
  const rest = path.slice(end);
  return { path: `${rest === "" ? "/" : rest}${url.slice(path.length)}`, mount: path.slice(0, end) };
}

/** Relative links of the other side's first page need a slash at the end of its path. */
export function redirectToFolder(request: AuthorizedRequest, target: ResourceTarget): Response | undefined {
  const { method, path } = request;
  if (target.rest.length > 0 || path.endsWith("/") || (method !== "GET" && method !== "HEAD")) return undefined;
  const question = request.url.indexOf("?");
  const query = question < 0 ? "" : request.url.slice(question);
  return { status: 301, headers: { location: `${path}/${query}` }, body: new Uint8Array() };
}
