// Admission: fills in the resources that a namespace's limit ranges give by default, and holds pods and claims to them.

import type { LimitRange } from "../kinds/core/limit-range.ts";
import type { PersistentVolumeClaim } from "../kinds/core/persistent-volume-claim.ts";
import type { Container } from "../kinds/core/pod/container.ts";
import type { Pod } from "../kinds/core/pod.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { type Amounts, claimProblems, podProblems } from "./limit-range-rules.ts";
import { concerns, concernsPart, concernsPod } from "./match-request.ts";
import type { Lookup } from "./mirrors.ts";
import { aggregate, refusal } from "./refusal.ts";

export function limitRanger(names: Names, ranges: Lookup<LimitRange>): AdmissionPlugin {
  const isClaim = (request: AdmissionRequest) => concerns(request, "", "persistentvolumeclaims");
  return {
    name: "LimitRanger",
    resources: ["pods", "persistentvolumeclaims"],
    handles(request) {
      const { operation } = request;
      if (operation === "CREATE") return concernsPod(request) || isClaim(request);
      if (operation !== "UPDATE" || request.oldObject?.metadata.deletionTimestamp !== undefined) return false;
      // The resources of a pod change only through its own sub-resource.
      return isClaim(request) || concernsPart(request, "", "pods", "resize");
    },
    mutate(request) {
      if (isClaim(request)) return;
      const pod = request.object as unknown as Pod;
      for (const range of ranges.values(request.namespace)) fillPod(names, pod, range);
    },
    validate(request) {
      for (const { spec } of ranges.values(request.namespace)) {
        const limits = spec.limits ?? [];
        const problems = isClaim(request)
          ? claimProblems(request.object as unknown as PersistentVolumeClaim, limits)
          : podProblems(request.object as unknown as Pod, limits);
        if (problems.length > 0) throw refusal(request, aggregate(problems));
      }
    },
  };
}

function fillPod(names: Names, pod: Pod, { spec }: LimitRange): void {
  const forContainers = (spec.limits ?? []).filter(({ type }) => type === "Container");
  const limits: Amounts = Object.assign({}, ...forContainers.map((limit) => limit.default ?? {}));
  const requests: Amounts = Object.assign({}, ...forContainers.map((limit) => limit.defaultRequest ?? {}));
  const notes = [
    ...(pod.spec.containers ?? []).flatMap((container) => fillContainer(container, "container", requests, limits)),
    ...(pod.spec.initContainers ?? []).flatMap((container) =>
      fillContainer(container, "init container", requests, limits),
    ),
  ];
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [names.limitRangerAnnotation]: `LimitRanger plugin set: ${notes.join("; ")}`,
  };
}

/** What was set, in the words of the annotation. */
function fillContainer(container: Container, what: string, requests: Amounts, limits: Amounts): string[] {
  container.resources ??= {};
  const { resources } = container;
  const setLimits = missing(resources.limits, limits);
  const setRequests = missing(resources.requests, requests);
  if (setLimits.length > 0) resources.limits = { ...limits, ...resources.limits };
  if (setRequests.length > 0) resources.requests = { ...requests, ...resources.requests };
  return [
    ...(setRequests.length > 0 ? [`${setRequests.join(", ")} request for ${what} ${container.name}`] : []),
    ...(setLimits.length > 0 ? [`${setLimits.join(", ")} limit for ${what} ${container.name}`] : []),
  ];
}

function missing(have: Amounts | undefined, wanted: Amounts): string[] {
  return Object.keys(wanted)
    .filter((name) => have === undefined || !Object.hasOwn(have, name))
    .sort();
}
