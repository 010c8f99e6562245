// What happens to a pod around a write, before it is validated: its first status, and what each endpoint may write.

import { indexBy } from "../../../base/index-by.ts";
import { timeOfMs } from "../../../meta/time.ts";
import type { HookContext } from "../../define-kind.ts";
import { restore } from "../../subresources.ts";
import type { PodAffinityTerm } from "./affinity.ts";
import { profilesFromAnnotations } from "./app-armor-annotations.ts";
import type { Container } from "./container.ts";
import { qosClassOf } from "./resources.ts";
import type { Pod } from "./schema.ts";

export function preparePodForCreate(pod: Pod, { names, nowMs }: HookContext): void {
  profilesFromAnnotations(pod, names);
  pod.status = { phase: "Pending", qosClass: qosClassOf(pod.spec) };
  if (pod.spec.schedulingGates?.length) {
    pod.status.conditions = [
      {
        type: "PodScheduled",
        status: "False",
        lastProbeTime: null,
        lastTransitionTime: timeOfMs(nowMs),
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ];
  }
  mergeLabelKeys(pod);
}

/** The kubelet reports; owners, deletion and the class of service are not its to change. */
export function preparePodStatus(pod: Pod, old: Pod): void {
  pod.spec = old.spec;
  restore(pod.metadata, old.metadata, "deletionTimestamp");
  restore(pod.metadata, old.metadata, "ownerReferences");
  const { status } = pod;
  if (!status.qosClass) restore(status, old.status, "qosClass");
  // An old kubelet does not know observedGeneration and must not lose it.
  if (!status.observedGeneration) restore(status, old.status, "observedGeneration");
  const known = indexBy(old.status.conditions, ({ type }) => type);
  for (const condition of status.conditions ?? []) {
    const before = known.get(condition.type);
    if (!condition.observedGeneration && before) restore(condition, before, "observedGeneration");
  }
}

/** Of the whole pod only the ephemeral containers are written. */
export function prepareEphemeralContainers(pod: Pod, old: Pod): void {
  const containers = pod.spec.ephemeralContainers;
  resetTo(pod, old);
  if (containers === undefined) delete pod.spec.ephemeralContainers;
  else pod.spec.ephemeralContainers = containers;
}

/** Of the whole pod only the resources of its containers are written. Other containers are for validation to refuse. */
export function prepareResize(pod: Pod, old: Pod): void {
  const { containers, initContainers } = pod.spec;
  const differs = (sort: "containers" | "initContainers") =>
    (pod.spec[sort] ?? []).length !== (old.spec[sort] ?? []).length;
  if (differs("containers") || differs("initContainers")) return;
  resetTo(pod, old);
  pod.spec.containers = resized(old.spec.containers, containers) ?? null;
  const init = resized(old.spec.initContainers, initContainers);
  if (init) pod.spec.initContainers = init;
}

function resetTo(pod: Pod, old: Pod): void {
  const { uid, resourceVersion, managedFields } = pod.metadata;
  pod.metadata = { ...old.metadata };
  // Who names another pod means that one: validation refuses it.
  if (uid !== undefined) pod.metadata.uid = uid;
  if (resourceVersion !== undefined) pod.metadata.resourceVersion = resourceVersion;
  if (managedFields !== undefined) pod.metadata.managedFields = managedFields;
  pod.spec = { ...old.spec };
  pod.status = old.status;
}

function resized(
  olds: Container[] | null | undefined,
  news: Container[] | null | undefined,
): Container[] | null | undefined {
  if (olds?.some(({ name }, index) => news?.[index]?.name !== name)) return news;
  return olds?.map((container, index) => {
    const wanted = news![index]!;
    const changed = { ...container, resources: wanted.resources };
    restore(changed, wanted, "resizePolicy");
    return changed;
  });
}

// Label keys of constraints stand for the pod's own values from now on.
function mergeLabelKeys(pod: Pod): void {
  const labels = pod.metadata.labels ?? {};
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  for (const affinity of [podAffinity, podAntiAffinity]) {
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms = [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...preferred.map(({ podAffinityTerm }) => podAffinityTerm),
    ];
    for (const term of terms) {
      requireValue(term, term.matchLabelKeys, "In", labels);
      requireValue(term, term.mismatchLabelKeys, "NotIn", labels);
    }
  }
  for (const constraint of pod.spec.topologySpreadConstraints ?? []) {
    requireValue(constraint, constraint.matchLabelKeys, "In", labels);
  }
}

function requireValue(
  term: Pick<PodAffinityTerm, "labelSelector">,
  keys: readonly string[] | undefined,
  operator: "In" | "NotIn",
  labels: Readonly<Record<string, string>>,
): void {
  if (!term.labelSelector) return;
  for (const key of keys ?? []) {
    if (!Object.hasOwn(labels, key)) continue;
    term.labelSelector.matchExpressions ??= [];
    term.labelSelector.matchExpressions.push({ key, operator, values: [labels[key]!] });
  }
}
