// On which nodes a DaemonSet runs a pod. Pure.

import type { DaemonSet } from "../../kinds/apps/daemon-set.ts";
import type { Node } from "../../kinds/core/node.ts";
import { nodeSelectorMatcher } from "../../kinds/core/node-matcher.ts";
import { tolerates } from "../../kinds/core/pod/tolerates.ts";
import type { Toleration } from "../../kinds/core/pod/toleration.ts";
import type { Names } from "../../meta/names.ts";

export interface NodeFit {
  /** A pod shall be there. */
  readonly shouldRun: boolean;
  /** One that is there may stay: taints that only keep new ones away do not drive it off. */
  readonly mayStay: boolean;
}

const NO: NodeFit = { shouldRun: false, mayStay: false };

/** Read once, asked of many nodes. */
export function nodeFitOf({ spec }: DaemonSet, names: Names): (node: Node & { metadata: { name: string } }) => NodeFit {
  const { nodeName = "", nodeSelector = {}, affinity } = spec.template.spec;
  const tolerations = daemonTolerations(spec.template.spec, names);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const matcher = required === undefined ? undefined : matcherOf(required.nodeSelectorTerms ?? []);
  return ({ metadata, spec: nodeSpec }) => {
    const { name, labels = {} } = metadata;
    if (nodeName !== "" && nodeName !== name) return NO;
    if (!Object.entries(nodeSelector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value))
      return NO;
    if (matcher !== undefined && !matcher({ name, labels })) return NO;
    const untolerated = (nodeSpec?.taints ?? []).filter(
      (taint) => taint.effect !== "PreferNoSchedule" && !tolerates(tolerations, taint),
    );
    return {
      shouldRun: untolerated.length === 0,
      mayStay: untolerated.every(({ effect }) => effect !== "NoExecute"),
    };
  };
}

/** Those of the template, and what every daemon puts up with: it belongs to its node, whatever state that is in. */
export function daemonTolerations(
  { tolerations, hostNetwork }: DaemonSet["spec"]["template"]["spec"],
  names: Names,
): Toleration[] {
  const own = (key: string, effect: "NoExecute" | "NoSchedule"): Toleration => ({ key, operator: "Exists", effect });
  const added = [
    own(names.notReadyTaint, "NoExecute"),
    own(names.unreachableTaint, "NoExecute"),
    own(names.diskPressureTaint, "NoSchedule"),
    own(names.memoryPressureTaint, "NoSchedule"),
    own(names.pidPressureTaint, "NoSchedule"),
    own(names.unschedulableTaint, "NoSchedule"),
    ...(hostNetwork === true ? [own(names.networkUnavailableTaint, "NoSchedule")] : []),
  ];
  const isOurs = (given: Toleration) =>
    added.some(({ key, effect }) => given.key === key && given.effect === effect && given.operator === "Exists");
  return [...(tolerations ?? []).filter((given) => !isOurs(given)), ...added];
}

/** A selector that cannot be read matches no node. */
function matcherOf(terms: Parameters<typeof nodeSelectorMatcher>[0]) {
  try {
    const { matches } = nodeSelectorMatcher(terms);
    return matches;
  } catch {
    return () => false;
  }
}
