// What the checks of a pod's parts must know: the names, the gates, and what the stored object already gets away with.
// What an older release accepted stays updatable, so a fault that the old object has is not held against the new one.

import type { HookContext } from "../../define-kind.ts";
import { type PodFaults, ToleratedErrors } from "./faults.ts";
import type { PodSpec } from "./spec.ts";

export interface PodRules extends Pick<HookContext, "names" | "gateEnabled"> {
  readonly context: HookContext;
  /** A pod itself; templates leave some things open. */
  readonly isPod: boolean;
  /** What the old object is forgiven. */
  readonly forgiven: PodFaults;
}

type Stored = { readonly metadata: { readonly annotations?: Record<string, string> }; readonly spec: PodSpec };

export function podRules(context: HookContext, isPod: boolean, old?: Stored | null): PodRules {
  const forgiven = old ? new ToleratedErrors(old.spec, old.metadata.annotations, context.names) : NO_FAULTS;
  return { context, names: context.names, gateEnabled: context.gateEnabled, isPod, forgiven };
}

const NO_FAULTS: PodFaults = {
  selectorValues: false,
  nodeAffinityValues: false,
  spreadSelectors: false,
  tokenPaths: false,
  hostSysctls: false,
  hugePages: false,
  deletionCost: false,
  restartRules: false,
  devicesInUserNamespace: false,
  seLinuxChangePolicy: false,
};
