// Authorization put together: from the flags or the configuration file to a chain of authorizers that follows its sources.
// Requirements: document 2, "AuthorizationConfiguration file", "Authorization verdicts".

import type { Background } from "../base/background.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { SharedAnswers } from "../base/shared-answers.ts";
import { StartFiles } from "../base/start-files.ts";
import type { Egress } from "../client/callouts/egress.ts";
import type { Names } from "../meta/names.ts";
import { VERSION_INFO } from "../meta/version.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import type { Authorizer, RuleResolver } from "../registry/authorizer.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { WriteDeps } from "../registry/write.ts";
import { type AuthorizationMetrics, authorizationMetrics } from "./authorization-metrics.ts";
import { type AuthorizationOptions, type LinkParts, linksOfModes } from "./build-links.ts";
import { AuthorizerChain, type ChainLink } from "./chain.ts";
import { AuthorizationConfigFile } from "./config/config-file.ts";
import { type AccessExplainer, accessExplainer } from "./explain.ts";
import { nodeLink } from "./node/node-authorizer.ts";
import { NodeGraph } from "./node/node-graph.ts";
import { ensureDefaults } from "./rbac/ensure-defaults.ts";
import { escalationPrevention } from "./rbac/escalation.ts";
import { rbacAuthorizer, rbacRules } from "./rbac/rbac-authorizer.ts";
import { RbacState } from "./rbac/rbac-state.ts";

interface AuthorizationParts {
  readonly names: Names;
  readonly gateEnabled: (gate: string) => boolean;
  readonly catalog: Catalog;
  readonly log: Log;
  readonly clock: Clock;
  readonly background: Background;
  readonly metrics?: Metrics;
  /** Tells servers of one cluster apart in metrics. */
  readonly serverId?: string;
  /** The way to webhooks. */
  readonly egress?: Egress | undefined;
  readonly startFiles?: StartFiles;
  /** Where several processes serve. */
  readonly sharedAnswers?: SharedAnswers | undefined;
  /** From the server whose place this one takes. */
  readonly accessState?: AccessState | undefined;
  /** Instead of what the options say; for tests of other parts. */
  readonly authorizer?: Authorizer;
}

/** What authorizers look at. It depends on no flag. */
export interface AccessState {
  readonly rbac: RbacState;
  readonly graph: NodeGraph;
}

interface Authorization {
  readonly authorizer: Authorizer;
  /** Not ended by close(). */
  readonly accessState: AccessState;
  /** What a user may do, for SelfSubjectRulesReview. */
  readonly rules: RuleResolver;
  readonly explainer: AccessExplainer;
  /** Told of the decision about every request. */
  readonly observe: AuthorizationMetrics["onRequest"] | undefined;
  /** Whether the default roles are stored. */
  readonly ready: () => boolean;
  /** Admission that belongs to authorization and that no flag turns off. */
  readonly plugins: readonly AdmissionPlugin[];
  /** Loads what authorizers look at at every request, and stores the default roles unless they are there. */
  start(deps: WriteDeps, hasDefaults: () => boolean): Promise<void>;
  close(): void;
}

/** Fails with StartError when a file that the options name cannot be used. */
export function buildAuthorizer(options: AuthorizationOptions, parts: AuthorizationParts): Authorization {
  const { names, catalog, clock, gateEnabled, startFiles = new StartFiles() } = parts;
  const log = parts.log.child({ part: "authorization" });
  const metrics = parts.metrics === undefined ? undefined : authorizationMetrics(parts.metrics, parts.serverId ?? "");
  const { accessState = { rbac: new RbacState(names, catalog, log), graph: new NodeGraph(names, catalog, log) } } =
    parts;
  const { rbac, graph } = accessState;
  const held = rbacRules(names, rbac.index);
  const linkParts: LinkParts = {
    egress: parts.egress,
    readStartFile: startFiles.read,
    sharedAnswers: parts.sharedAnswers,
    names,
    clock,
    metrics,
    rbac: { type: "RBAC", authorizer: rbacAuthorizer(names, rbac.index), rules: held },
    node: nodeLink(names, graph, gateEnabled),
  };
  const { authorizationConfig: path } = options;
  const context = { names, minor: Number(VERSION_INFO.minor) };
  const file =
    path === undefined
      ? undefined
      : new AuthorizationConfigFile({ path, context, parts: linkParts, startFiles, clock, log, metrics });
  const links = file?.links ?? linksOfModes(options, linkParts);
  const chain = new AuthorizerChain(links, metrics?.onDecision);
  const authorizer = parts.authorizer ?? chain;
  let started = false;
  return {
    authorizer,
    accessState,
    rules: chain,
    explainer: accessExplainer(names, authorizer, rbac),
    observe: metrics?.onRequest,
    ready: () => started,
    plugins: [escalationPrevention({ names, authorizer, held, state: rbac })],
    async start(deps, hasDefaults) {
      const asks = (type: ChainLink["type"]): boolean => links.some((link) => link.type === type);
      // A file may name other authorizers later. Who else looks at roles and bindings waits for them.
      const needsRbac = file !== undefined || asks("RBAC") || !hasDefaults();
      await Promise.all([...(needsRbac ? [rbac.ready()] : []), ...(asks("Node") ? [graph.ready()] : [])]);
      // The first request must not be decided before what was just written is known here.
      if (!hasDefaults() && (await ensureDefaults(deps, rbac))) await rbac.sync();
      started = true;
      file?.follow(chain);
    },
    close() {
      if (file === undefined) for (const link of links) link.close?.();
      else file.close();
    },
  };
}
