// What a pod waits for: gates of its scheduling and of its readiness.

import { qualifiedNameProblems } from "../../../meta/name-formats.ts";
import { s } from "../../../schema/builder.ts";

export const podSchedulingGate = s.struct(
  "core.v1.PodSchedulingGate",
  "Something that must be done before a pod is scheduled.",
  () => ({
    name: s.string(1, "Name of the gate, unique in the pod."),
  }),
);

export const podReadinessGate = s.struct(
  "core.v1.PodReadinessGate",
  "A condition that must hold for a pod to be ready.",
  () => ({
    conditionType: s.named("PodConditionType", 1, "Type of a condition in the pod's status that must be `True`.", {
      must: { strict: true, form: qualifiedNameProblems },
    }),
  }),
);
