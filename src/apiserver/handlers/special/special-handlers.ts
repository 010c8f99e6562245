// Operations with handlers of their own, by the resource and sub-resource they are served at.

import type { AuthenticationMethods } from "../../../authn/build-authenticator.ts";
import type { Names } from "../../../meta/names.ts";
import type { Catalog } from "../../../registry/catalog.ts";
import type { SpecialHandler, SpecialHandlers } from "../subresource.ts";
import { type AccessReviewDeps, accessReviewHandlers } from "./access-reviews.ts";
import type { NodeAgents } from "./node-agents.ts";
import { bindPod } from "./pod-binding.ts";
import { ATTACH, EXEC, nodeProxy, PORT_FORWARD, podLog, podProxy, podStream } from "./pod-connect.ts";
import { evictPod } from "./pod-eviction.ts";
import { requestToken } from "./request-token.ts";
import { reviewSelf } from "./review-self.ts";
import { reviewToken } from "./review-token.ts";
import { serviceProxy } from "./service-proxy.ts";

interface SpecialHandlerDeps extends AccessReviewDeps {
  readonly authentication: AuthenticationMethods;
  readonly nodeAgents: NodeAgents;
}

export function specialHandlers(names: Names, catalog: Catalog, deps: SpecialHandlerDeps): SpecialHandlers {
  const pods = () => catalog.own("", "v1", "pods")!;
  const bind = bindPod(pods);
  return new Map<string, SpecialHandler>([
    ...accessReviewHandlers(names, deps),
    [`selfsubjectreviews.${names.group("authentication")}`, reviewSelf],
    [`tokenreviews.${names.group("authentication")}`, reviewToken(deps.authentication)],
    ["serviceaccounts/token", requestToken(deps.authentication.issuer, catalog)],
    ["pods/binding", bind],
    ["bindings", bind],
    ["pods/log", podLog(catalog, deps.nodeAgents)],
    ["pods/exec", podStream(catalog, deps.nodeAgents, EXEC)],
    ["pods/attach", podStream(catalog, deps.nodeAgents, ATTACH)],
    ["pods/portforward", podStream(catalog, deps.nodeAgents, PORT_FORWARD)],
    ["pods/proxy", podProxy],
    ["services/proxy", serviceProxy(catalog)],
    ["nodes/proxy", nodeProxy(catalog, deps.nodeAgents)],
    ["pods/eviction", evictPod(() => catalog.own("policy", "v1", "poddisruptionbudgets"))],
  ]);
}
