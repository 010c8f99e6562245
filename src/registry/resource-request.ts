// A request to a resource that the server has: what handlers take, and what the encoding of an answer looks at.

import type { AuthorizedRequest, ResourceTarget } from "./request.ts";
import type { ServedResource } from "./served-resource.ts";

export interface ResourceRequest {
  readonly request: AuthorizedRequest;
  readonly target: ResourceTarget;
  readonly resource: ServedResource;
}
