// Aggregation put together: what the server asks before it answers for itself, and what it adds to discovery.

import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Response } from "../../../http/message.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { WriteDeps } from "../../registry/write.ts";
import type { AuthorizedRequest, ResourceTarget } from "../../request.ts";
import { serviceResolver } from "../service-resolver.ts";
import { Backends, type ProxyIdentity } from "./backend.ts";
import { LocalApiServices } from "./local-api-services.ts";
import { proxy } from "./proxy.ts";
import type { RemoteApi } from "./remote-api.ts";
import { RemoteApis } from "./remote-apis.ts";
import { type RemoteGroup, remoteGroups } from "./remote-groups.ts";
import { tunnel } from "./tunnel.ts";

export interface AggregationParts {
  readonly context: WriteDeps & { readonly maxBodyBytes: number };
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined: the servers behind are not shown who we are. */
  readonly identity?: () => ProxyIdentity | undefined;
}

export interface Aggregation {
  delegate(request: AuthorizedRequest, target: ResourceTarget): Promise<Response> | undefined;
  /** For paths that are no resource: the discovery document of a group and version that another server serves. */
  path(request: AuthorizedRequest): Promise<Response> | undefined;
  groups(): readonly RemoteGroup[];
  start(): Promise<void>;
  close(): void;
}

export function buildAggregation({ context, catalog, clock, log, identity }: AggregationParts): Aggregation {
  const backends = new Backends(serviceResolver(catalog), identity ?? (() => undefined));
  const local = new LocalApiServices(context, catalog, log);
  const remote = new RemoteApis({
    deps: context,
    catalog,
    backends,
    clock,
    log: log.child({ part: "aggregation" }),
    onChange: () => catalog.announce(),
  });
  const forward = (request: AuthorizedRequest, api: RemoteApi) =>
    request.upgrade === undefined
      ? proxy({ backends, maxBodyBytes: context.maxBodyBytes }, request, api)
      : tunnel(backends, request, api);
  return {
    delegate(request, { prefix, group, version }) {
      const api = prefix === "apis" ? remote.find(group, version) : undefined;
      return api === undefined ? undefined : forward(request, api);
    },
    path(request) {
      const [, root, group = "", version = ""] = request.path.split("/");
      const api = root === "apis" ? remote.find(group, version) : undefined;
      return api === undefined ? undefined : forward(request, api);
    },
    groups: () => remoteGroups(remote),
    async start() {
      await remote.start();
      await local.start();
    },
    close() {
      local.close();
      remote.close();
      backends.close();
    },
  };
}
