// The API server put together: options and an engine in, a handler of requests out.

import { randomInt } from "node:crypto";
import { admissionMetrics } from "../admission/admission-metrics.ts";
import { buildAdmission } from "../admission/build-admission.ts";
import { buildAudit, type LineFile } from "../audit/build-audit.ts";
import type { Authenticator } from "../authn/authenticator.ts";
import { type ReadAuthentication, readAuthentication } from "../authn/build-authenticator.ts";
import type { ClientAuthorities } from "../authn/certificate-methods.ts";
import { hideCredentials } from "../authn/credential-headers.ts";
import type { InProcessUsers } from "../authn/in-process-users.ts";
import { type AccessState, buildAuthorizer } from "../authz/build-authorizer.ts";
import { Background } from "../base/background.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { GateStage } from "../base/feature-gates.ts";
import type { Log } from "../base/log.ts";
import type { ExpositionName } from "../base/merge-expositions.ts";
import type { Exposition, Metrics } from "../base/metrics.ts";
import type { SharedAnswers } from "../base/shared-answers.ts";
import type { StartFiles } from "../base/start-files.ts";
import { type EgressConfig, egressOfFlag } from "../client/callouts/egress-config.ts";
import { buildFlowControl } from "../flowcontrol/build-flow-control.ts";
import type { ReceivedRequest } from "../http/message.ts";
import type { Handler } from "../http/pipeline.ts";
import { type HealthMetrics, healthMetrics } from "../meta/health-metrics.ts";
import { reachableHost } from "../meta/host-port.ts";
import type { Dialect, Names } from "../meta/names.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { parseRuntimeConfig } from "../options/runtime-config.ts";
import { AdmissionChain } from "../registry/admission.ts";
import type { Authorizer } from "../registry/authorizer.ts";
import { Catalog } from "../registry/catalog.ts";
import { LongYaml } from "../registry/encoding/long-yaml.ts";
import { yamlThreadProgram } from "../registry/encoding/yaml-thread-program.ts";
import { FirstState, NETWORK_RESOURCES, RBAC_RESOURCES } from "../registry/first-state.ts";
import { type PreparedObject, type PreparedObjects, readPrepared } from "../registry/prepared-objects.ts";
import { RevisionAges } from "../registry/revision-ages.ts";
import { serverIdentity } from "../registry/server-identity.ts";
import { StoreMetrics } from "../registry/store-metrics.ts";
import { storeProbe } from "../registry/store-problem.ts";
import { ensureSystemNamespaces } from "../registry/system-namespaces.ts";
import type { StorageEngine, StoredEntry } from "../storage/engine.ts";
import { IdentityLease } from "./bootstrap/identity-lease.ts";
import { makesPreparedState } from "./bootstrap/makes-prepared-state.ts";
import { readPreparedState } from "./bootstrap/prepared-state.ts";
import { servedKinds } from "./bootstrap/served-kinds.ts";
import { serverAddressOf } from "./discovery/server-address.ts";
import type { ProxyIdentity } from "./extensions/aggregation/backend.ts";
import { buildAggregation } from "./extensions/aggregation/build-aggregation.ts";
import { type OwnAuthorities, PublishedTrust } from "./extensions/aggregation/published-trust.ts";
import { buildCustomResources } from "./extensions/build-custom-resources.ts";
import { ServiceNetwork } from "./extensions/service-network.ts";
import type { HandlerContext } from "./handlers/handler-context.ts";
import { route } from "./handlers/route.ts";
import { COMPONENT_STATUSES, componentStatuses } from "./handlers/special/component-status.ts";
import { NodeAgents, type NodeAgentTrust } from "./handlers/special/node-agents.ts";
import { specialHandlers } from "./handlers/special/special-handlers.ts";
import { buildHealth } from "./health/build-health.ts";
import { ALL_ENDPOINTS, type HealthChecks } from "./health/health-checks.ts";
import { backgroundFailures } from "./metrics/background-failures.ts";
import { buildRequestMetrics } from "./metrics/build-metrics.ts";
import { buildPaths } from "./paths/paths.ts";
import { buildPipeline } from "./pipeline.ts";
import { randomSuffix } from "./random-suffix.ts";
import { buildServices, ordinaryAddress } from "./services/build-services.ts";

export { makesPreparedState } from "./bootstrap/makes-prepared-state.ts";

/** Upstream's limit on the body of a request. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

export interface ApiServerDeps {
  readonly options: ApiServerOptions;
  readonly names: Names;
  readonly gates: Gates;
  readonly engine: StorageEngine;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly healthMetrics?: HealthMetrics;
  /** What /metrics and /metrics/slis show, where it is more than this process's. */
  readonly expositions?: Readonly<Record<ExpositionName, Exposition>>;
  /** Shown to servers behind this one, so that they believe what it says about users. */
  readonly proxyIdentity?: () => ProxyIdentity | undefined;
  /** How the agents of nodes and this server know each other. */
  readonly nodeAgentTrust?: () => NodeAgentTrust;
  /** Authorities of our own making that servers behind are to trust, beside those that flags name. */
  readonly ownAuthorities?: OwnAuthorities;
  readonly clock?: Clock;
  /** Whole numbers from 0 on, for names that the server makes up; good chance when not given. */
  readonly randomBelow?: (bound: number) => number;
  /** Another process of the same store does what is to be done once. */
  readonly follows?: boolean;
  /** This process, where several serve the same port: `processEnded` of the one that does not follow is told of the others by it. */
  readonly processName?: string | undefined;
  /** Where lines of --audit-log-path go, where several processes share the file. */
  readonly auditFile?: LineFile;
  /** What processes that serve the same port have learnt from webhooks. */
  readonly sharedAnswers?: SharedAnswers | undefined;
  /** Where processes that serve the same port have the same ones. */
  readonly startFiles?: StartFiles;
  /** The ways to other servers, where they have been read already. */
  readonly egress?: EgressConfig;
  /** What the authentication flags name, where it has been read already. */
  readonly authentication?: ReadAuthentication;
  /** Components of the same process, which are users without credentials. */
  readonly inProcessUsers?: Pick<InProcessUsers, "before"> | undefined;
  /** The name of the machine, where it is not the one that the machine says. */
  readonly host?: string;
  /** What an empty store begins with, instead of what the build has prepared. */
  readonly firstState?: (dialect: Dialect) => PreparedObjects | undefined;
  /** From the server whose place this one takes. */
  readonly inheritance?: Inheritance | undefined;
  /** The program of the thread for long YAML; that of the build when not given. */
  readonly yamlThread?: () => string;
  /** Instead of what the options say; for tests of other parts. */
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
}

/** The feature gates, as far as the server asks for them. */
interface Gates {
  enabled(gate: string): boolean;
  all(): readonly { readonly name: string; readonly stage: GateStage; readonly enabled: boolean }[];
}

/**
 * What a server leaves to one that takes its place in the same process, on the same store, with the same names, gates and
 * --runtime-config: nothing is read from the store again, and watches that are open stay so.
 */
export interface Inheritance {
  readonly catalog: Catalog;
  readonly firstState: FirstState;
  readonly accessState: AccessState;
  /** Whether the default roles stand as they were prepared. */
  readonly hasDefaultRoles: boolean;
  /** Of the lease that tells other servers of this one. */
  readonly leaseHolder: string;
}

export interface ApiServer {
  readonly handler: Handler<ReceivedRequest>;
  readonly catalog: Catalog;
  readonly context: HandlerContext;
  readonly health: HealthChecks;
  readonly clientAuthorities: ClientAuthorities;
  /** Brings up what must be there before the server is ready. */
  start(port?: number): Promise<void>;
  /** Puts more into the store that was prepared as a server like this one makes it. */
  layMore(prepared: readonly PreparedObject[]): Promise<void>;
  /** Whether it stands as it was prepared, and laid by this server. */
  isAsPrepared(entry: StoredEntry): boolean;
  /** Another process that serves the same port has ended. */
  processEnded(name: string): void;
  /** Ends as close() does, and leaves the rest to another server. */
  standAside(): Promise<Inheritance>;
  close(): Promise<void>;
}

/** The server without a listener: the in-process transport calls its handler. */
export function buildApiServer(deps: ApiServerDeps): ApiServer {
  const { options, names, gates, engine, log, clock = systemClock, randomBelow = randomInt } = deps;
  const newSuffix = () => randomSuffix(randomBelow);
  const gateEnabled = (gate: string) => gates.enabled(gate);
  const follows = deps.follows ?? false;
  const background = new Background({
    clock,
    log,
    follows,
    ...(deps.metrics === undefined ? {} : { countFailure: backgroundFailures(deps.metrics) }),
  });
  const checkStore = storeProbe(engine, clock);
  const services = buildServices({
    options,
    clock,
    background,
    log,
    follows,
    processName: deps.processName,
    host: deps.host,
    metrics: deps.metrics,
  });
  const { inheritance } = deps;
  const firstState = inheritance?.firstState ?? new FirstState();
  let hasDefaultRoles = inheritance?.hasDefaultRoles ?? false;
  const catalog = inheritance?.catalog ?? newCatalog(deps, firstState);
  catalog.eventTtlSeconds = Math.ceil(options.eventTtlMs / 1000);
  for (const [resource, collaborator] of services.collaborators) catalog.collaborate(resource, collaborator);
  const serverId = gateEnabled("APIServerIdentity") ? serverIdentity(deps.host) : "";
  /** What nearly everything below is made of. */
  const parts = {
    names,
    gateEnabled,
    catalog,
    clock,
    background,
    log,
    serverId,
    sharedAnswers: deps.sharedAnswers,
    ...(deps.metrics === undefined ? {} : { metrics: deps.metrics }),
    ...(deps.startFiles === undefined ? {} : { startFiles: deps.startFiles, readStartFile: deps.startFiles.read }),
  };
  const egress = deps.egress ?? egressOfFlag(options.egressSelectorConfigFile, names);
  const authentication = (deps.authentication ?? readAuthentication(options, { names, clock, gates, egress })).build(
    parts,
  );
  const authenticator = deps.authenticator ?? authentication.authenticator;
  const authorization = buildAuthorizer(options, {
    ...parts,
    egress: egress.controlplane,
    accessState: inheritance?.accessState,
    ...(deps.authorizer === undefined ? {} : { authorizer: deps.authorizer }),
  });
  const { authorizer, accessState } = authorization;
  let ownPort: number | undefined;
  const network = new ServiceNetwork({
    names,
    catalog,
    endpointRouting: options.enableAggregatorRouting,
    egress: egress.cluster,
    ownAddress: () => (ownPort === undefined ? undefined : { host: reachableHost(options.bindAddress), port: ownPort }),
  });
  const admission = buildAdmission({
    ...parts,
    resolveService: network.resolve,
    egress: egress.controlplane,
    authorizer,
    randomSuffix: newSuffix,
    tolerationTimes: {
      notReadySeconds: options.defaultNotReadyTolerationSecondsSeconds,
      unreachableSeconds: options.defaultUnreachableTolerationSecondsSeconds,
    },
    choice: {
      enable: options.enableAdmissionPlugins,
      disable: options.disableAdmissionPlugins,
      ...(options.admissionControlConfigFile === undefined ? {} : { configFile: options.admissionControlConfigFile }),
    },
  });
  const ages = new RevisionAges({
    engine,
    clock,
    watchWindowMs: options.watchHistoryWindowMs,
    continueTtlMs: options.continueTokenTtlMs,
    compactionIntervalMs: options.etcdCompactionIntervalMs,
    onCompacted: (revision) => {
      for (const store of catalog.stores()) store.cacheInUse?.compact(revision);
    },
    background,
  });
  const yaml = new LongYaml({ clock, program: deps.yamlThread ?? (() => yamlThreadProgram) });
  const context: HandlerContext = {
    names,
    ages,
    gateEnabled,
    clock,
    admission: new AdmissionChain(
      [...admission.plugins, ...authorization.plugins],
      deps.metrics === undefined ? undefined : admissionMetrics(deps.metrics),
    ),
    authorizer,
    allowPrivileged: options.allowPrivileged,
    namespaceLabels: namespaceLabelsIn(catalog),
    randomSuffix: newSuffix,
    anyVersionWhole: names.dialect !== "platform" && options.watchCache,
    minWatchSeconds: options.minRequestTimeoutSeconds,
    maxBodyBytes: MAX_BODY_BYTES,
    yaml,
    clusterEgress: egress.cluster,
  };
  const customResources = buildCustomResources({
    ...parts,
    context,
    resolveService: network.resolve,
    egress: egress.controlplane,
  });
  const outcomes = deps.healthMetrics ?? healthMetrics(names);
  const { health, starting } = buildHealth({
    names,
    outcomes,
    storeProblem: checkStore,
    fairness: options.enablePriorityAndFairness,
    proxyCertificate: options.proxyClientCertFile !== undefined,
    identity: serverId !== "",
    coordinatedElection: gateEnabled("CoordinatedLeaderElection"),
    log,
    livezGraceMs: options.livezGracePeriodMs,
    clock,
  });
  health.add({
    name: "poststarthook/rbac/bootstrap-roles",
    endpoints: ALL_ENDPOINTS,
    check: () => (authorization.ready() ? undefined : "not finished"),
  });
  const aggregation = buildAggregation({
    ...parts,
    context,
    network,
    rejectRedirects: options.aggregatorRejectForwardingRedirect,
    ...(deps.proxyIdentity === undefined ? {} : { identity: deps.proxyIdentity }),
  });
  const trust = new PublishedTrust({
    ...parts,
    deps: context,
    options,
    own: deps.ownAuthorities ?? {},
  });
  const identityLease = new IdentityLease({
    ...parts,
    ...(deps.host === undefined ? {} : { host: deps.host }),
    holder: inheritance?.leaseHolder,
  });
  let serverAddress = "";
  const paths = buildPaths({
    ...parts,
    otherServers: aggregation,
    otherDocuments: aggregation.documents,
    health,
    metrics: deps.expositions?.metrics ?? deps.metrics,
    healthMetrics: deps.expositions?.slis ?? outcomes.metrics,
    profiling: options.profiling,
    serverAddress: () => serverAddress,
    issuerDocuments: authentication.issuerDocuments,
  });
  const audit = buildAudit(options, {
    ...parts,
    egress: egress.controlplane,
    ...(deps.auditFile === undefined ? {} : { file: deps.auditFile }),
  });
  const nodeAgents = new NodeAgents({
    trust: deps.nodeAgentTrust ?? (() => ({})),
    addressTypes: options.kubeletPreferredAddressTypes,
    connectTimeoutMs: options.kubeletTimeoutMs,
    egress: egress.cluster,
  });
  const flowControl = buildFlowControl(options, parts);
  const requestMetrics =
    deps.metrics === undefined ? undefined : buildRequestMetrics(deps.metrics, { names, catalog, gates: gates.all() });
  const handler = buildPipeline(
    {
      names,
      log,
      cbor: gateEnabled("CBORServingAndStorage"),
      clock,
      requestTimeoutMs: options.requestTimeoutMs,
      ...(requestMetrics === undefined ? {} : { requestMetrics }),
      ...(audit === undefined ? {} : { audit: { names, catalog, audit, yaml } }),
      limitFlow: flowControl.step,
      authenticator: deps.inProcessUsers?.before(authenticator) ?? authenticator,
      hideCredentials: hideCredentials(options),
      authorizer,
      authorizeWithSelectors: gateEnabled("AuthorizeWithSelectors"),
      observeAuthorization: authorization.observe,
    },
    route({
      context,
      catalog,
      special: new Map([
        ...specialHandlers(names, catalog, { ...authorization, authentication, nodeAgents }),
        [COMPONENT_STATUSES, componentStatuses(checkStore)],
      ]),
      paths: (request) => flowControl.answer(request.path) ?? aggregation.path(request) ?? paths(request),
      delegate: (request, target) => aggregation.delegate(request, target),
    }),
  );
  return {
    clientAuthorities: authentication.clientAuthorities,
    handler,
    catalog,
    context,
    health,
    async start(port) {
      if (port !== undefined) serverAddress = serverAddressOf(options, port);
      ownPort = port;
      const isPrepared = inheritance === undefined && !follows && makesPreparedState(options, gateEnabled);
      const prepared = isPrepared ? (deps.firstState ?? firstStateOfBuild)(names.dialect) : undefined;
      if (prepared !== undefined) {
        firstState.expect(prepared);
        const address = ordinaryAddress(options, port);
        await firstState.lay(engine, clock, { address, identity: identityLease.identity });
      }
      await starting.storage(() => ages.start());
      await starting.admission(() => admission.start(context));
      await starting.namespaces(() => ensureSystemNamespaces(context, catalog));
      const hasServices = inheritance !== undefined || firstState.hasAllOf(NETWORK_RESOURCES);
      await starting.services(() => services.start(context, catalog, port, hasServices));
      await starting.priorityClasses(() => admission.ensureDefaults());
      await starting.customResources(() => customResources.start());
      await starting.trust(() => trust.start());
      await starting.identity?.(() => identityLease.start(context));
      // Whose turn it is to choose leaders is found out beside: nobody waits for it.
      await starting.coordinatedElection?.(() => undefined);
      await starting.aggregation(() => aggregation.start());
      await Promise.all([
        authorization.start(context, () => {
          hasDefaultRoles ||= firstState.hasAllOf(RBAC_RESOURCES);
          return hasDefaultRoles;
        }),
        starting.flowControl(() => flowControl.start(context)),
      ]);
      await starting.authentication(() => authentication.start(context));
      firstState.forgetTexts();
    },
    processEnded: (name) => services.processEnded(name),
    layMore: (more) => firstState.layMore(engine, clock, more),
    isAsPrepared: firstState.isAsPrepared,
    async standAside() {
      await end();
      await catalog.handOver();
      return { catalog, firstState, accessState, hasDefaultRoles, leaseHolder: identityLease.holder };
    },
    async close() {
      await end();
      accessState.graph.close();
      accessState.rbac.close();
      await catalog.close();
    },
  };

  async function end(): Promise<void> {
    await services.close();
    background.close();
    ages.close();
    customResources.close();
    admission.close();
    trust.close();
    aggregation.close();
    network.close();
    nodeAgents.close();
    flowControl.close();
    authorization.close();
    authentication.close();
    yaml.close();
    await audit?.close();
  }
}

/** It may outlive the server: nothing else of that is held by it. */
function newCatalog(
  { options, names, gates, engine, log, metrics, ...deps }: ApiServerDeps,
  firstState: FirstState,
): Catalog {
  const gateEnabled = (gate: string) => gates.enabled(gate);
  const runtimeConfig = parseRuntimeConfig(options.runtimeConfig);
  return new Catalog({
    kinds: servedKinds(names, runtimeConfig, gateEnabled),
    engine,
    clock: deps.clock ?? systemClock,
    gateEnabled,
    isServed: (kind, group) => runtimeConfig.isServed(group, kind.version, kind.resource),
    storeMetrics: metrics === undefined ? undefined : new StoreMetrics(metrics),
    isKnownGood: (key, revision, value) => firstState.has(key, revision, value),
    cacheOptions: {
      snapshotRetentionMs: options.listSnapshotRetentionMs,
      log: (message, error) => log.warn({ err: error }, message),
    },
  });
}

function firstStateOfBuild(dialect: Dialect): PreparedObjects | undefined {
  const file = readPreparedState(dialect);
  return file === undefined ? undefined : readPrepared(file);
}

/** Read where admission keeps all namespaces at hand. */
function namespaceLabelsIn(catalog: Catalog): (namespace: string) => Readonly<Record<string, string>> | undefined {
  const store = catalog.own("", "v1", "namespaces")?.store;
  return (namespace) => store?.cache.get(store.keyOf("", namespace))?.labels;
}
