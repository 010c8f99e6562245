// Paths outside the resources: discovery, OpenAPI, health, version, metrics, and the index of them all.
// Requirements: document 1, "Health endpoints", "Other HTTP behaviour", "Versioning".

import type { Clock } from "../../base/clock.ts";
import type { Exposition } from "../../base/metrics.ts";
import { checkAccepts } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import type { Names } from "../../meta/names.ts";
import { methodNotAllowed, notFoundPath } from "../../meta/status-error.ts";
import { VERSION_INFO } from "../../meta/version.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { AuthorizedRequest } from "../../registry/request.ts";
import { listCoreVersions, listGroups } from "../discovery/api-resources.ts";
import { buildDiscovery } from "../discovery/discovery.ts";
import type { OtherServers } from "../discovery/merge-groups.ts";
import type { HealthChecks } from "../health/health-checks.ts";
import type { OtherDocuments } from "../openapi/other-documents.ts";
import { buildOpenApi } from "../openapi/serve-openapi.ts";
import { metricsAnswer } from "./metrics-answer.ts";
import { answerProfiling } from "./profiling.ts";

interface PathDeps {
  /** What servers behind this one serve. */
  readonly otherServers?: OtherServers;
  readonly otherDocuments?: OtherDocuments;
  readonly names: Names;
  readonly catalog: Catalog;
  readonly health: HealthChecks;
  readonly gateEnabled: (gate: string) => boolean;
  readonly clock: Clock;
  /** Where clients reach this server: host and port. */
  readonly serverAddress: () => string;
  /** The answer to the paths of the service account issuer. */
  readonly issuerDocuments: (path: string, serverAddress: string) => Response | undefined;
  /** Without them there is no /metrics. */
  readonly metrics: Exposition | undefined;
  /** At /metrics/slis. */
  readonly healthMetrics: Exposition;
  /** Whether /debug/pprof/ is there. */
  readonly profiling: boolean;
}

const ISSUER_PATHS = ["/.well-known/openid-configuration", "/openid/v1/jwks"];
/** Answered whatever the method is, as upstream does. */
const ANY_METHOD: ReadonlySet<string> = new Set(["/", "/index.html", "/metrics", "/metrics/slis"]);
const HEALTH_PATH = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

/** The answer to a path that is no resource; undefined when nothing is there. */
export function buildPaths(deps: PathDeps): (request: AuthorizedRequest) => Promise<Response> | undefined {
  const discovery = buildDiscovery(deps);
  const openApi = buildOpenApi({
    ...deps,
    nowMs: () => deps.clock.nowMs(),
    issuer: () => ISSUER_PATHS.every((path) => deps.issuerDocuments(path, "") !== undefined),
  });
  return (request) => {
    const { path, method } = request;
    if (HEALTH_PATH.test(path))
      return deps.health.answer(path, request.query).then((answer) => answer ?? notFoundText());
    const make = fixedPath(deps, request) ?? issuerPath(deps, request);
    if (make === undefined) {
      const answer =
        openApi(request) ?? (deps.profiling ? answerProfiling(deps.clock, request) : undefined) ?? discovery(request);
      if (answer === undefined && isBelowApi(deps.catalog, path)) throw notFoundPath();
      return answer;
    }
    if (!ANY_METHOD.has(path) && method !== "GET") throw methodNotAllowed();
    return Promise.resolve(make());
  };
}

/** Where there is an API, it says itself that it has no such path. */
function isBelowApi(catalog: Catalog, path: string): boolean {
  const [, root, group = "", version = ""] = path.split("/");
  return root === "api" || (root === "apis" && (catalog.hasBuiltIn(group) || catalog.has(group, version)));
}

function fixedPath(deps: PathDeps, request: AuthorizedRequest): (() => Response) | undefined {
  switch (request.path) {
    case "/":
    case "/index.html":
      return () => json({ paths: indexOf(deps) });
    case "/version":
    case "/version/":
      return () => {
        checkAccepts(request.headers.first("accept"), "application/json");
        return json(VERSION_INFO);
      };
    case "/metrics": {
      const { metrics } = deps;
      return metrics === undefined ? undefined : () => metricsAnswer(metrics);
    }
    case "/metrics/slis":
      return () => metricsAnswer(deps.healthMetrics);
    default:
      return undefined;
  }
}

function issuerPath(deps: PathDeps, { path }: AuthorizedRequest): (() => Response) | undefined {
  if (!ISSUER_PATHS.includes(path)) return undefined;
  const document = deps.issuerDocuments(path, deps.serverAddress());
  return document === undefined ? undefined : () => document;
}

/** What GET / lists: every path that leads somewhere, by name. */
function indexOf(deps: PathDeps): string[] {
  const core = listCoreVersions(deps.catalog.groupVersions()).map((version) => `/api/${version}`);
  const groups = listGroups(deps.catalog.groupVersions()).flatMap(({ name, versions }) => [
    `/apis/${name}`,
    ...versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
  ]);
  return [
    ...ISSUER_PATHS.filter((path) => deps.issuerDocuments(path, "") !== undefined),
    "/api",
    ...core,
    "/apis",
    "/apis/",
    ...groups,
    ...(deps.profiling ? ["/debug/pprof/cmdline", "/debug/pprof/profile"] : []),
    ...deps.health.paths(),
    ...(deps.metrics === undefined ? [] : ["/metrics"]),
    "/metrics/slis",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/version",
  ].sort();
}

function json(value: unknown): Response {
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(value, null, 2)),
  };
}

function notFoundText(): Response {
  return {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: Buffer.from("404 page not found\n"),
  };
}
