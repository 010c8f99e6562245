// Sub-resources: a part of the object, its scale, or an operation with a handler of its own.

import type { Response } from "../../http/message.ts";
import { badRequest, methodNotAllowed, notFoundObject, notFoundPath } from "../../meta/status-error.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { get } from "./get.ts";
import type { HandlerContext } from "./handler-context.ts";
import { patch } from "./patch.ts";
import { scale } from "./scale.ts";
import { update } from "./update.ts";

/** A sub-resource or a kind that is an operation, with a handler of its own. */
export type SpecialHandler = (context: HandlerContext, resourceRequest: ResourceRequest) => Promise<Response>;

/** By `resource`, `resource.group`, or either with `/subresource`. */
export type SpecialHandlers = ReadonlyMap<string, SpecialHandler>;

export async function routeSubresource(
  context: HandlerContext,
  special: SpecialHandlers,
  resourceRequest: ResourceRequest,
): Promise<Response> {
  const { request, target, resource } = resourceRequest;
  const declared = resource.kind.subresources?.[target.subresource];
  // Custom resources share one handler, to which a part that their definition lacks is an object that is not there.
  if (declared === undefined) throw resource.custom ? notFoundObject(resource.subject, target.name) : notFoundPath();
  if (target.rest.length > 0 && target.subresource !== "proxy") throw notFoundPath();
  const allowed = (declared.verbs as readonly string[]).includes(target.verb) && request.method !== "HEAD";
  // Behind a proxy every method may mean something.
  if (!allowed && !(target.subresource === "proxy" && PROXIED_TOO.has(request.method))) throw methodNotAllowed();
  if (CONNECTS.has(target.subresource) && request.query.has("dryRun")) throw badRequest("dryRun is not supported");
  const handler = special.get(specialKey(resource, target.subresource));
  if (handler !== undefined) return handler(context, resourceRequest);
  if (declared.type === "special") throw methodNotAllowed();
  if (declared.type === "scale") return scale(context, resourceRequest, declared);
  switch (target.verb) {
    case "get":
      return get(context, resourceRequest);
    case "update":
      return update(context, resourceRequest);
    case "patch":
      return patch(context, resourceRequest);
    default:
      throw methodNotAllowed();
  }
}

const PROXIED_TOO: ReadonlySet<string> = new Set(["HEAD", "OPTIONS"]);

/** Those that lead to somebody else. */
const CONNECTS: ReadonlySet<string> = new Set(["attach", "exec", "portforward", "proxy"]);

export function specialKey(resource: ServedResource, subresource: string): string {
  const base = resource.group === "" ? resource.kind.resource : `${resource.kind.resource}.${resource.group}`;
  return subresource === "" ? base : `${base}/${subresource}`;
}
