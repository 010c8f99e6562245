// Aggregation put together: what the server asks before it answers for itself, and what it adds to discovery.

import type { Background } from "../../../base/background.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import type { Response } from "../../../http/message.ts";
import type { Catalog } from "../../../registry/catalog.ts";
import type { AuthorizedRequest, ResourceTarget } from "../../../registry/request.ts";
import type { WriteDeps } from "../../../registry/write.ts";
import type { OtherServers } from "../../discovery/merge-groups.ts";
import type { OtherDocuments } from "../../openapi/other-documents.ts";
import type { ServiceNetwork } from "../service-network.ts";
import { aggregationMetrics } from "./aggregation-metrics.ts";
import { AvailabilityChecks } from "./availability-checks.ts";
import { Backends, type ProxyIdentity } from "./backend.ts";
import { LocalApiServices } from "./local-api-services.ts";
import { proxy, proxyUpgrade } from "./proxy.ts";
import { type RemoteApi, sameRegistration } from "./remote-api.ts";
import { RemoteApis } from "./remote-apis.ts";
import { RemoteDiscovery } from "./remote-discovery.ts";
import { remoteGroups } from "./remote-groups.ts";
import { RemoteOpenApi } from "./remote-openapi.ts";

interface AggregationParts {
  readonly context: WriteDeps & { readonly maxBodyBytes: number };
  readonly catalog: Catalog;
  readonly network: ServiceNetwork;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  readonly metrics?: Metrics;
  /** --aggregator-reject-forwarding-redirect */
  readonly rejectRedirects: boolean;
  /** Undefined: the servers behind are not shown who we are. */
  readonly identity?: () => ProxyIdentity | undefined;
}

interface Aggregation extends OtherServers {
  delegate(request: AuthorizedRequest, target: ResourceTarget): Promise<Response> | undefined;
  /** For paths that are no resource: the discovery document of a group and version that another server serves. */
  path(request: AuthorizedRequest): Promise<Response> | undefined;
  /** What the servers behind publish of their APIs. */
  readonly documents: OtherDocuments;
  start(): Promise<void>;
  close(): void;
}

/** The only path of another server that is no resource. */
const GROUP_VERSION = /^\/apis\/([^/]+)\/([^/]+)\/?$/;

export function buildAggregation(parts: AggregationParts): Aggregation {
  const { context, catalog, network, clock, background, identity } = parts;
  const log = parts.log.child({ part: "aggregation" });
  const metrics = parts.metrics && aggregationMetrics(parts.metrics);
  const announce = () => catalog.announce();
  const backends = new Backends(network.resolve, identity ?? (() => undefined));
  const apis = new RemoteApis(catalog, context.names);
  const local = new LocalApiServices({ deps: context, catalog, apis, background, log });
  const discovery = new RemoteDiscovery({ names: context.names, backends, onChange: announce });
  const onReached = (api: RemoteApi) => discovery.refresh(api);
  const checks = new AvailabilityChecks({
    deps: context,
    catalog,
    network,
    backends,
    apis,
    background,
    clock,
    log,
    metrics,
    onReached,
  });
  const proxying = { backends, maxBodyBytes: context.maxBodyBytes, rejectRedirects: parts.rejectRedirects };
  const forward = (request: AuthorizedRequest, api: RemoteApi) =>
    request.upgrade === undefined ? proxy(proxying, request, api) : proxyUpgrade(proxying, request, api);
  const documents = new RemoteOpenApi({ backends, background, log, forward });
  apis.onChange((now, before) => documents.changed(now, before));
  apis.onChange((now, before) => {
    const [api, old] = [now?.remote, before?.remote];
    if (api === undefined && old !== undefined) discovery.forget(old);
    if (api?.available !== old?.available || !sameRegistration(api, old)) announce();
  });
  return {
    documents,
    delegate(request, { prefix, group, version }) {
      const api = prefix === "apis" ? apis.find(group, version) : undefined;
      return api === undefined ? undefined : forward(request, api);
    },
    path(request) {
      const [, group = "", version = ""] =
        GROUP_VERSION.exec(request.target.type === "path" ? request.target.path : "") ?? [];
      const api = apis.find(group, version);
      return api === undefined ? undefined : forward(request, api);
    },
    priorities: (group, version) => apis.get(`${version}.${group}`)?.priorities,
    onAggregated: () => metrics?.aggregated(),
    groups: () => remoteGroups({ all: () => apis.all(), resourcesOf: (api) => discovery.resourcesOf(api) }),
    async start() {
      await apis.start();
      await local.start();
    },
    close() {
      local.close();
      checks.close();
      documents.close();
      apis.close();
      backends.close();
    },
  };
}
