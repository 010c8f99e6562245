// The agent's HTTPS server: who may, which endpoint, and what becomes of failures.

import { X509Certificate } from "node:crypto";
import type { FeatureGates } from "../../base/feature-gates.ts";
import { FollowedFile } from "../../base/follow-file.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Metrics } from "../../base/metrics.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import { StartError } from "../../base/start-error.ts";
import type { Listener } from "../../http/listener.ts";
import { listen } from "../../http/listener.ts";
import type { ReceivedRequest } from "../../http/message.ts";
import { type Handler, Pipeline, type Step } from "../../http/pipeline.ts";
import type { GateName } from "../../options/feature-gate-table.ts";
import type { AgentContext, PodRunner } from "../context.ts";
import { isGrpcError } from "../cri/cri-client.ts";
import type { MachineFacts } from "../node/machine.ts";
import { controlAccess } from "./access.ts";
import { jsonAnswer, RefusedRequest, textAnswer } from "./answers.ts";
import { AgentAuthenticator } from "./authenticate.ts";
import { AgentAuthorizer } from "./authorize.ts";
import { checkpointEndpoint } from "./checkpoint.ts";
import { containerLogsEndpoint } from "./container-logs.ts";
import { attachEndpoint, execEndpoint, portForwardEndpoint, runEndpoint } from "./container-streams.ts";
import { profilingRoutes, verbosityEndpoint } from "./debugging.ts";
import { type HealthChecks, healthAnswer } from "./health.ts";
import { podsEndpoint, runningPodsEndpoint } from "./pod-lists.ts";
import { measureRequests } from "./request-metrics.ts";
import { type Endpoint, type Route, routeTable } from "./routes.ts";
import type { FollowedCertificate } from "./serving-certificate.ts";
import { exposed, Statistics } from "./statistics.ts";
import { askSystemJournal, systemLogsEndpoint } from "./system-logs.ts";

type ServerContext = Pick<
  AgentContext,
  "client" | "cri" | "config" | "gates" | "names" | "clock" | "log" | "metrics" | "nodeName" | "paths" | "probeTotals"
>;

export interface EndpointOptions {
  readonly context: ServerContext;
  readonly runner: Pick<PodRunner, "pods" | "volumes" | "findContainer" | "findSandbox">;
  readonly checks: HealthChecks;
  /** What came of them. */
  readonly outcomes: Metrics;
  readonly measure: () => Promise<MachineFacts>;
  /** What /configz shows. */
  readonly shownConfig: JsonObject;
  /** Undefined where how much is logged is not the agent's own choice. */
  readonly setVerbosity?: ((verbosity: number) => void) | undefined;
}

interface AgentServerOptions extends EndpointOptions {
  readonly certificate: FollowedCertificate;
}

const GRACE_MS = 1_000;
const SYSTEM_LOGS = "/var/log";
const AUTHORITY_LOOK_MS = 60_000;

export class AgentServer {
  readonly #listener: Listener;
  readonly #followers: readonly { stop(): void }[];

  private constructor(listener: Listener, followers: readonly { stop(): void }[]) {
    this.#listener = listener;
    this.#followers = followers;
  }

  /** Fails with StartError. */
  static async listen(options: AgentServerOptions): Promise<AgentServer> {
    const { config, clock, log } = options.context;
    const { certificate } = options;
    const clientCaFile = config.authentication.x509.clientCAFile;
    const clientAuthorities = clientCaFile === undefined ? [] : await readAuthorities(clientCaFile);
    const tls = {
      minVersion: config.tlsMinVersion === "VersionTLS13" ? ("TLSv1.3" as const) : ("TLSv1.2" as const),
      ...(config.tlsCipherSuites.length === 0 ? {} : { ciphers: config.tlsCipherSuites.join(":") }),
    };
    const { address: bindAddress, port } = config;
    const listener = await listen({
      bindAddress,
      port,
      tls: { ...certificate.current, ...tls },
      clientAuthorities,
      handler: agentHandler(options),
      onConnectionError: (error) => log.debug({ err: error }, "a connection failed"),
      clock,
    }).catch((error: Error) => {
      throw new StartError(`port: cannot listen on ${bindAddress}:${port}: ${error.message}`);
    });
    const followers = [certificate.follow((next) => listener.setCertificates({ ...next, ...tls }))];
    if (clientCaFile !== undefined) followers.push(followAuthorities(clientCaFile, listener, options.context));
    return new AgentServer(listener, followers);
  }

  get port(): number {
    return this.#listener.port;
  }

  async close(): Promise<void> {
    for (const follower of this.#followers) follower.stop();
    await this.#listener.close(GRACE_MS);
  }
}

/** Without the listener: for tests too. */
export function agentHandler(options: EndpointOptions): Handler<ReceivedRequest> {
  const { client, clock, config, gates, log, metrics, nodeName } = options.context;
  const onError = (error: unknown) => log.warn({ err: error }, "the API server cannot be asked about a caller");
  return Pipeline.start<ReceivedRequest>()
    .use(measureRequests(metrics, clock))
    .use(answerErrors(options.context))
    .use(
      controlAccess({
        authenticator: new AgentAuthenticator({ client, clock, config: config.authentication, onError }),
        authorizer: new AgentAuthorizer({ client, clock, config: config.authorization, nodeName, onError }),
        fineGrained: gates.enabled("KubeletFineGrainedAuthz"),
      }),
    )
    .handle(routeTable(routes(options)));
}

/** What shows the state of the node and nothing else: without access control, for the port that has none. */
export function readOnlyHandler(options: EndpointOptions): Handler<ReceivedRequest> {
  const handle = routeTable(shownState(options));
  return async (request) => await handle(request);
}

const get = (pattern: string, serve: Endpoint): Route => ({ methods: ["GET", "HEAD"], pattern, serve });

function shownState({ context, runner, checks, outcomes, measure }: EndpointOptions): Route[] {
  const { cri, clock, metrics, names, nodeName, probeTotals: probes } = context;
  const podUidLabel = names.runtimePodUid;
  const statistics = new Statistics({ nodeName, cri, podUidLabel, runner, measure, metrics, clock, probes });
  return [
    get("/healthz", ({ path }) => healthAnswer(checks, path)),
    get("/healthz/{check}", ({ path }) => healthAnswer(checks, path)),
    get("/pods", podsEndpoint(runner)),
    get("/metrics", statistics.metrics),
    get("/metrics/cadvisor", statistics.containerMetrics),
    get("/metrics/probes", statistics.probeMetrics),
    get("/metrics/resource", statistics.resourceMetrics),
    get("/metrics/slis", () => exposed(outcomes)),
    get("/stats/summary", statistics.summary),
  ];
}

function routes(options: EndpointOptions): Route[] {
  const { context, runner, shownConfig } = options;
  const { cri, clock, config, gates, names } = context;
  const stream = (pattern: string, serve: Endpoint): Route => ({ methods: ["GET", "POST"], pattern, serve });
  const streams = { cri, runner, names, idleMs: config.streamingConnectionIdleTimeoutMs };
  const containerPath = "{namespace}/{pod}/{container}";
  const withUid = "{namespace}/{pod}/{uid}/{container}";
  const plain: Route[] = [
    ...shownState(options),
    get("/configz", () => jsonAnswer({ [names.agentConfigurationField]: shownConfig })),
    ...checkpointRoutes(context, gates, runner),
  ];
  const debugging: Route[] = [
    get("/runningpods", runningPodsEndpoint(cri)),
    ...systemLogRoutes(config, gates),
    ...profilingRoutes(clock, {
      isEnabled: config.enableProfilingHandler,
      contention: config.enableContentionProfiling,
    }),
    {
      methods: ["PUT"],
      pattern: "/debug/flags/v",
      serve: verbosityEndpoint(config.enableDebugFlagsHandler, options.setVerbosity),
    },
    get(`/containerLogs/${containerPath}`, containerLogsEndpoint({ cri, runner, clock })),
    stream(`/exec/${containerPath}`, execEndpoint(streams)),
    stream(`/exec/${withUid}`, execEndpoint(streams)),
    stream(`/attach/${containerPath}`, attachEndpoint(streams)),
    stream(`/attach/${withUid}`, attachEndpoint(streams)),
    stream("/portForward/{namespace}/{pod}", portForwardEndpoint(streams)),
    stream("/portForward/{namespace}/{pod}/{uid}", portForwardEndpoint(streams)),
    { methods: ["POST"], pattern: `/run/${containerPath}`, serve: runEndpoint(streams) },
    { methods: ["POST"], pattern: `/run/${withUid}`, serve: runEndpoint(streams) },
  ];
  const disabled: Endpoint = () => textAnswer(405, "Debug endpoints are disabled.\n");
  return [
    ...plain,
    ...debugging.map((route) => (config.enableDebuggingHandlers ? route : { ...route, serve: disabled })),
  ];
}

function systemLogRoutes(config: ServerContext["config"], gates: FeatureGates<GateName>): Route[] {
  if (!config.enableSystemLogHandler)
    return [get("/logs/{path...}", () => textAnswer(405, "logs endpoint is disabled.\n"))];
  const mayQuery = config.enableSystemLogQuery && gates.enabled("NodeLogQuery");
  return [get("/logs/{path...}", systemLogsEndpoint(SYSTEM_LOGS, mayQuery ? askSystemJournal : undefined))];
}

/** None when the gate is off: the path is not there then. */
function checkpointRoutes(
  { cri, clock, config, paths }: ServerContext,
  gates: FeatureGates<GateName>,
  runner: Pick<PodRunner, "findContainer">,
): Route[] {
  if (!gates.enabled("ContainerCheckpoint")) return [];
  const requestTimeoutMs = config.runtimeRequestTimeoutMs;
  const serve = checkpointEndpoint({ cri, runner, clock, folder: paths.checkpoints, requestTimeoutMs });
  return [{ methods: ["POST"], pattern: "/checkpoint/{namespace}/{pod}/{container}", serve }];
}

/** Refusals have their status; what the runtime says is 500 with its words; anything else is a bug. */
function answerErrors({ log }: ServerContext): Step<ReceivedRequest, ReceivedRequest> {
  return async function answerErrors(request, next) {
    try {
      return await next(request);
    } catch (error) {
      if (error instanceof RefusedRequest) return textAnswer(error.status, `${error.message}\n`);
      if (isGrpcError(error)) return textAnswer(error.code === "NotFound" ? 404 : 500, `${error.message}\n`);
      log.error({ err: error, path: request.path }, "a request failed");
      return textAnswer(500, "internal error\n");
    }
  };
}

async function readAuthorities(file: string): Promise<X509Certificate[]> {
  try {
    return parseAuthorities((await readSmallFile(file)).toString("utf8"));
  } catch (error) {
    throw new StartError(`authentication.x509.clientCAFile: ${file}: ${(error as Error).message}`);
  }
}

function followAuthorities(file: string, listener: Listener, { clock, log }: ServerContext): { stop(): void } {
  const keep = (error: Error) =>
    log.warn({ err: error, file }, "the authorities of clients cannot be used; the old ones stay");
  const followed = new FollowedFile(file, {
    clock,
    known: Buffer.alloc(0),
    intervalMs: AUTHORITY_LOOK_MS,
    onError: keep,
    onContent(content) {
      try {
        listener.setClientAuthorities(parseAuthorities(Buffer.from(content).toString("utf8")));
      } catch (error) {
        keep(error as Error);
      }
    },
  });
  return { stop: () => followed.close() };
}

function parseAuthorities(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("there is no PEM block of type CERTIFICATE in it");
  return blocks.map((block) => new X509Certificate(block));
}
