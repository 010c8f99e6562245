// What every handler of a resource works with.

import type { Output } from "../../codec/negotiate.ts";
import type { Authorizer } from "../authz/authorizer.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import type { WriteDeps } from "../registry/write.ts";
import type { AuthorizedRequest, ResourceTarget } from "../request.ts";

export interface HandlerContext extends WriteDeps {
  readonly authorizer: Authorizer;
  /** Ends a watch without timeoutSeconds after a random time between this and twice as much. */
  readonly minWatchSeconds: number;
  readonly maxBodyBytes: number;
}

export interface ResourceRequest {
  readonly request: AuthorizedRequest;
  readonly target: ResourceTarget;
  readonly resource: ServedResource;
}

/** Negotiation's view of a resource. */
export function endpointOf(context: HandlerContext, resource: ServedResource, collection = false) {
  return {
    type: resource.custom ? ("custom" as const) : collection ? ("collection" as const) : ("resource" as const),
    protobuf: resource.kind.protobuf === true,
    cbor: context.gateEnabled("CBORServingAndStorage"),
  };
}

export function wishesOf(request: AuthorizedRequest) {
  return {
    accept: request.headers.first("accept"),
    userAgent: request.headers.first("user-agent"),
    pretty: request.query.get("pretty") ?? undefined,
  };
}

export const PLAIN_JSON: Output = { mediaType: "json", stream: false, pretty: false };
