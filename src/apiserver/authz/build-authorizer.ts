// Authorization put together: from the flags or the configuration file to a chain of authorizers that follows its sources.
// Requirements: document 2, "AuthorizationConfiguration file", "Authorization verdicts".

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Names } from "../../meta/names.ts";
import type { AdmissionPlugin } from "../admission/admission.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { AuthorizationMode } from "../options/authorization-flags.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { WriteDeps } from "../registry/write.ts";
import { alwaysAllow, alwaysDeny } from "./always.ts";
import type { Authorizer, RuleResolver } from "./authorizer.ts";
import { AuthorizerChain, type ChainLink } from "./chain.ts";
import { type AccessExplainer, accessExplainer } from "./explain.ts";
import { AggregationController } from "./rbac/aggregation-controller.ts";
import { ensureDefaults } from "./rbac/ensure-defaults.ts";
import { escalationPrevention } from "./rbac/escalation.ts";
import { rbacAuthorizer, rbacRules } from "./rbac/rbac-authorizer.ts";
import { RbacState } from "./rbac/rbac-state.ts";

export type AuthorizationOptions = Pick<
  ApiServerOptions,
  | "authorizationMode"
  | "authorizationConfig"
  | "authorizationPolicyFile"
  | "authorizationWebhookConfigFile"
  | "authorizationWebhookVersion"
  | "authorizationWebhookCacheAuthorizedTtlMs"
  | "authorizationWebhookCacheUnauthorizedTtlMs"
>;

export interface AuthorizationParts {
  readonly names: Names;
  readonly gateEnabled: (gate: string) => boolean;
  readonly catalog: Catalog;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics?: Metrics;
  /** Instead of what the options say; for tests of other parts. */
  readonly authorizer?: Authorizer;
}

export interface Authorization {
  readonly authorizer: Authorizer;
  /** What a user may do, for SelfSubjectRulesReview. */
  readonly rules: RuleResolver;
  readonly explainer: AccessExplainer;
  /** Admission that belongs to authorization and that no flag turns off. */
  readonly plugins: readonly AdmissionPlugin[];
  /** Loads what authorization looks at and stores the default roles. */
  start(deps: WriteDeps): Promise<void>;
  close(): void;
}

/** Fails with StartError when a file that the options name cannot be used. */
export function buildAuthorizer(options: AuthorizationOptions, parts: AuthorizationParts): Authorization {
  const { names, catalog, log } = parts;
  const rbac = new RbacState(names, catalog, log.child({ part: "rbac" }));
  const chain = new AuthorizerChain(linksOfModes(options, parts, rbac));
  const authorizer = parts.authorizer ?? chain;
  let aggregation: AggregationController | undefined;
  return {
    authorizer,
    rules: chain,
    explainer: accessExplainer(names, authorizer, rbac.index),
    plugins: [escalationPrevention({ names, authorizer, held: rbacRules(names, rbac.index), state: rbac })],
    async start(deps) {
      await rbac.ready();
      await ensureDefaults(deps, rbac);
      await rbac.sync();
      aggregation = new AggregationController(deps, rbac, log.child({ part: "clusterrole-aggregation" }));
      await aggregation.settle();
    },
    close() {
      aggregation?.close();
      rbac.close();
    },
  };
}

function linksOfModes(
  { authorizationMode }: AuthorizationOptions,
  parts: AuthorizationParts,
  rbac: RbacState,
): ChainLink[] {
  const modes = authorizationMode.length === 0 ? ["AlwaysAllow"] : authorizationMode;
  return (modes as AuthorizationMode[]).flatMap((mode): ChainLink[] => {
    switch (mode) {
      case "AlwaysAllow":
        return [alwaysAllow];
      case "AlwaysDeny":
        return [alwaysDeny];
      case "RBAC":
        return [rbacLink(parts.names, rbac, "rbac")];
      default:
        return [];
    }
  });
}

function rbacLink(names: Names, rbac: RbacState, name: string): ChainLink {
  return { type: "RBAC", name, authorizer: rbacAuthorizer(names, rbac.index), rules: rbacRules(names, rbac.index) };
}
