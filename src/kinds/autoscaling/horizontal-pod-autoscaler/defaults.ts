// Defaults of autoscalers, version v2.

import type { Names } from "../../../meta/names.ts";
import type { ObjectMeta } from "../../../meta/object.ts";
import type { HookContext } from "../../define-kind.ts";
import { v1Annotations } from "./v1-annotations.ts";
import type { HorizontalPodAutoscaler, HPAScalingPolicy, HPAScalingRules } from "./v2-schema.ts";

/** What an autoscaler aims at when nothing is said. */
export const CPU_PERCENT = 80;

export function defaultAutoscaler({ metadata, spec }: HorizontalPodAutoscaler, { names }: HookContext): void {
  dropV1Annotations(metadata, names);
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) {
    const target = { type: "Utilization", averageUtilization: CPU_PERCENT };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  if (spec.behavior) {
    spec.behavior.scaleUp = withDefaults(spec.behavior.scaleUp, SCALE_UP);
    spec.behavior.scaleDown = withDefaults(spec.behavior.scaleDown, SCALE_DOWN);
  }
}

/** This version has fields for what v1 says in annotations. */
function dropV1Annotations(metadata: ObjectMeta, names: Names): void {
  const { annotations } = metadata;
  const said = annotations ? v1Annotations(names).filter((key) => Object.hasOwn(annotations, key)) : [];
  if (said.length === 0) return;
  const kept = Object.entries(annotations!).filter(([key]) => !said.includes(key));
  if (kept.length > 0) metadata.annotations = Object.fromEntries(kept);
  else delete metadata.annotations;
}

interface Rules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy: "Max";
  readonly policies: readonly HPAScalingPolicy[];
}

const SCALE_UP: Rules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};

const SCALE_DOWN: Rules = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };

function withDefaults(rules: HPAScalingRules | undefined, defaults: Rules): HPAScalingRules {
  const merged: HPAScalingRules = { ...rules };
  if (defaults.stabilizationWindowSeconds !== undefined) {
    merged.stabilizationWindowSeconds ??= defaults.stabilizationWindowSeconds;
  }
  merged.selectPolicy ??= defaults.selectPolicy;
  merged.policies ??= defaults.policies.map((policy) => ({ ...policy }));
  return merged;
}
