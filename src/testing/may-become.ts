// Which control planes a test can have whose options are others than those of the test before: server, clock and nodes are
// replaced, what is in the store and whoever follows it stays.

import { isDeepStrictEqual } from "node:util";
import { makesPreparedState } from "../apiserver/server.ts";
import { equalJson } from "../base/json.ts";
import type { Dialect } from "../meta/names.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import type { Shaped } from "./control-plane.ts";

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

export function mayBecome(before: Shaped, now: Shaped): boolean {
  const { dialect, controllers, flags } = now.shape;
  if (before.shape.dialect !== dialect || before.shape.controllers !== controllers) return false;
  if (equalJson(before.shape.flags, flags)) return true;
  return (
    areBoundAlike(before.options, now.options) &&
    [before, now].every(({ options }) => makesOrdinaryState(options, dialect))
  );
}

function areBoundAlike(one: ApiServerOptions, other: ApiServerOptions): boolean {
  const keys = Object.keys(one) as (keyof ApiServerOptions)[];
  return keys.every((key) => FREE.has(key) || isDeepStrictEqual(one[key], other[key]));
}

function makesOrdinaryState(options: ApiServerOptions, dialect: Dialect): boolean {
  const gates: { enabled(gate: string): boolean } = serverGates(options.featureGates, dialect);
  return makesPreparedState(options, (gate) => gates.enabled(gate));
}
