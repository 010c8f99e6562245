// Paths outside the resources: discovery, health, version, metrics.

import type { Clock } from "../base/clock.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Response } from "../http/message.ts";
import type { Names } from "../meta/names.ts";
import { methodNotAllowed } from "../meta/status-error.ts";
import { buildDiscovery } from "./discovery/discovery.ts";
import type { HealthChecks } from "./health/health-checks.ts";
import { metricsAnswer } from "./metrics-answer.ts";
import { buildOpenApi } from "./openapi/serve-openapi.ts";
import type { Catalog } from "./registry/catalog.ts";
import type { AuthorizedRequest } from "./request.ts";
import { VERSION_INFO } from "./version.ts";

export interface PathDeps {
  readonly names: Names;
  readonly catalog: Catalog;
  readonly health: HealthChecks;
  readonly gateEnabled: (gate: string) => boolean;
  readonly clock: Clock;
  /** The answer to the paths of the service account issuer. */
  readonly issuerDocuments: (path: string, host: string) => Response | undefined;
  /** Without them there is no /metrics. */
  readonly metrics: Metrics | undefined;
}

/** The answer to a path that is no resource; undefined when nothing is there. */
export function buildPaths(deps: PathDeps): (request: AuthorizedRequest) => Promise<Response> | undefined {
  const discovery = buildDiscovery(deps);
  const openApi = buildOpenApi({ ...deps, nowMs: () => deps.clock.nowMs() });
  return (request) => {
    const { path } = request;
    if (path === "/version" || path === "/version/") {
      if (request.method !== "GET") throw methodNotAllowed();
      return Promise.resolve(json(VERSION_INFO));
    }
    if (/^\/(healthz|livez|readyz)(\/|$)/.test(path)) {
      return deps.health.answer(path, request.query).then((answer) => answer ?? notFoundText());
    }
    if (path === "/metrics" && deps.metrics !== undefined) {
      if (request.method !== "GET") throw methodNotAllowed();
      return Promise.resolve(metricsAnswer(deps.metrics));
    }
    const document =
      request.method === "GET" ? deps.issuerDocuments(path, request.headers.first("host") ?? "") : undefined;
    return document === undefined ? (openApi(request) ?? discovery(request)) : Promise.resolve(document);
  };
}

export function json(value: unknown): Response {
  return { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(value)) };
}

function notFoundText(): Response {
  return {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: Buffer.from("404 page not found\n"),
  };
}
