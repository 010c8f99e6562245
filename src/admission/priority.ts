// Admission: the priority of a pod comes from its class, and only one class is everybody's default.

import type { Pod } from "../kinds/core/pod.ts";
import type { PriorityClass } from "../kinds/scheduling/priority-class.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { concerns, concernsPod } from "./match-request.ts";
import { findFresh, type Lookup } from "./mirrors.ts";
import { refusal } from "./refusal.ts";
import { isSystemPriorityClass } from "./system-priority-classes.ts";

export function priority(names: Names, classes: Lookup<PriorityClass> | undefined): AdmissionPlugin {
  const isClass = (request: AdmissionRequest) => concerns(request, names.group("scheduling"), "priorityclasses");
  return {
    name: "Priority",
    resources: ["pods", "priorityclasses"],
    handles: (request) =>
      isClass(request) || (concernsPod(request) && (request.operation === "CREATE" || request.operation === "UPDATE")),
    async mutate(request) {
      if (!concernsPod(request)) return;
      if (request.operation === "CREATE") await admitPod(request, classes);
      else keepPriority(request);
    },
    validate(request) {
      if (concernsPod(request)) return;
      const { name, operation } = request;
      if (operation === "DELETE") {
        if (!isSystemPriorityClass(name)) return;
        throw refusal(request, "this is a system priority class and cannot be deleted");
      }
      if ((request.object as unknown as PriorityClass).globalDefault !== true) return;
      const standing = defaultClass(classes);
      if (standing === undefined || (operation === "UPDATE" && standing.metadata.name === name)) return;
      throw refusal(
        request,
        `PriorityClass ${standing.metadata.name} is already marked as default. Only one default can exist`,
      );
    },
  };
}

async function admitPod(request: AdmissionRequest, classes: Lookup<PriorityClass> | undefined): Promise<void> {
  const { spec } = request.object as unknown as Pod;
  const chosen = await classOf(request, spec.priorityClassName ?? "", classes);
  const value = chosen?.value ?? 0;
  const policy = chosen === undefined ? "PreemptLowerPriority" : chosen.preemptionPolicy;
  if (chosen !== undefined) spec.priorityClassName = chosen.metadata.name ?? "";
  if (spec.priority != null && spec.priority !== value) {
    throw refusal(
      request,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  spec.priority = value;
  if (policy == null) return;
  if (spec.preemptionPolicy != null && spec.preemptionPolicy !== policy) {
    throw refusal(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = policy;
}

async function classOf(
  request: AdmissionRequest,
  name: string,
  classes: Lookup<PriorityClass> | undefined,
): Promise<PriorityClass | undefined> {
  if (name === "") return defaultClass(classes);
  const found = await findFresh(classes, "", name);
  if (found === undefined) throw refusal(request, `no PriorityClass with name ${name} was found`);
  return found;
}

/** Where there are several by a race, the lowest counts. */
function defaultClass(classes: Lookup<PriorityClass> | undefined): PriorityClass | undefined {
  let lowest: PriorityClass | undefined;
  for (const one of classes?.values() ?? []) {
    if (one.globalDefault === true && (lowest === undefined || one.value < lowest.value)) lowest = one;
  }
  return lowest;
}

/** Who updates a pod need not repeat what this plug-in has set. */
function keepPriority({ object, oldObject }: AdmissionRequest): void {
  const { spec } = object as unknown as Pod;
  const { spec: old } = oldObject as unknown as Pod;
  if (old.priority != null) spec.priority ??= old.priority;
  if (old.preemptionPolicy != null) spec.preemptionPolicy ??= old.preemptionPolicy;
}
