// Which control planes a test can have whose options are others than those of the test before: server, clock and nodes are
// replaced, what is in the store and whoever follows it stays.

import { isDeepStrictEqual } from "node:util";
import { makesPreparedState } from "../apiserver/server.ts";
import { type ApiServerOptions, parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import type { Shape } from "./control-plane.ts";

/** They say how requests are answered. What a start leaves in the store, and what caches hold of it, is the same with all of them. */
const FREE: ReadonlySet<string> = new Set<keyof ApiServerOptions>([
  ...(["requestTimeoutMs", "minRequestTimeoutSeconds", "maxRequestsInflight", "maxMutatingRequestsInflight"] as const),
  ...(["eventTtlMs", "watchHistoryWindowMs", "continueTokenTtlMs", "etcdCompactionIntervalMs"] as const),
  ...(["enableAdmissionPlugins", "disableAdmissionPlugins", "allowPrivileged"] as const),
  ...(["defaultNotReadyTolerationSecondsSeconds", "defaultUnreachableTolerationSecondsSeconds"] as const),
  ...(["authorizationMode", "anonymousAuth", "tokenAuthFile", "apiAudiences"] as const),
  ...(["serviceAccountIssuer", "serviceAccountLookup", "serviceAccountMaxTokenExpirationMs"] as const),
  ...(["serviceAccountExtendTokenExpiration", "profiling"] as const),
]);

/** Fails with UsageError where flags are wrong. */
export function mayBecome(before: Shape, now: Shape): boolean {
  if (before.dialect !== now.dialect || before.controllers !== now.controllers) return false;
  if (isDeepStrictEqual(before.flags, now.flags)) return true;
  const [one, other] = [before, now].map(({ flags }) => parseApiServerOptions([...flags])) as [
    ApiServerOptions,
    ApiServerOptions,
  ];
  return (
    [one, other].every((options) => makesOrdinaryState(options, now)) && isDeepStrictEqual(bound(one), bound(other))
  );
}

function makesOrdinaryState(options: ApiServerOptions, { dialect }: Shape): boolean {
  const gates: { enabled(gate: string): boolean } = serverGates(options.featureGates, dialect);
  return makesPreparedState(options, dialect, (gate) => gates.enabled(gate));
}

const bound = (options: ApiServerOptions) => Object.entries(options).filter(([key]) => !FREE.has(key));
