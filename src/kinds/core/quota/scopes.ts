// The scopes of a quota: which objects it is about. Pure.

import type { ApiObject } from "../../../meta/object.ts";
import type { PersistentVolumeClaim } from "../persistent-volume-claim.ts";
import { qosClassOf } from "../pod/resources.ts";
import type { Pod } from "../pod.ts";
import type { ResourceQuotaSpec } from "../resource-quota.ts";
import type { Counted } from "./usage.ts";

interface Requirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Every scope must hold; objects that a scope says nothing about are not in it. */
export function inScopes(spec: ResourceQuotaSpec, counted: Counted, object: ApiObject): boolean {
  const named: Requirement[] = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  return [...named, ...(spec.scopeSelector?.matchExpressions ?? [])].every((requirement) => {
    if (counted.group !== "") return false;
    if (counted.resource === "pods") return podInScope(requirement, object as unknown as Pod);
    return (
      counted.resource === "persistentvolumeclaims" &&
      requirement.scopeName === "VolumeAttributesClass" &&
      valueMatches(requirement, (object as unknown as PersistentVolumeClaim).spec.volumeAttributesClassName ?? "")
    );
  });
}

function podInScope(requirement: Requirement, { spec }: Pod): boolean {
  switch (requirement.scopeName) {
    case "Terminating":
      return isTerminating(spec);
    case "NotTerminating":
      return !isTerminating(spec);
    case "BestEffort":
      return qosClassOf(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClassOf(spec) !== "BestEffort";
    case "PriorityClass":
      return valueMatches(requirement, spec.priorityClassName ?? "");
    case "CrossNamespacePodAffinity":
      return usesOtherNamespaces(spec);
    default:
      return false;
  }
}

/** It has a time after which it ends. */
export const isTerminating = ({ activeDeadlineSeconds }: Pod["spec"]): boolean =>
  activeDeadlineSeconds != null && activeDeadlineSeconds >= 0;

function valueMatches({ operator, values = [] }: Requirement, value: string): boolean {
  switch (operator) {
    case "In":
      return values.includes(value);
    case "NotIn":
      return !values.includes(value);
    case "DoesNotExist":
      return value === "";
    default:
      return value !== "";
  }
}

interface AffinityTerm {
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: unknown;
}

function usesOtherNamespaces({ affinity }: Pod["spec"]): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one): readonly AffinityTerm[] => [
    ...((one?.requiredDuringSchedulingIgnoredDuringExecution ?? []) as readonly AffinityTerm[]),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm as AffinityTerm,
    ),
  ]);
  return terms.some(({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector != null);
}
