// Hooks of DaemonSet: defaults, and the count of templates that lives on in an annotation for old clients.

import { equalJson } from "../../base/json.ts";
import { defaultPodTemplate } from "../core/pod-defaults.ts";
import type { HookContext } from "../define-kind.ts";
import { keepStatus } from "../subresources.ts";
import type { DaemonSet } from "./daemon-set-schema.ts";

export const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

export function defaultDaemonSet(set: DaemonSet, context: HookContext): void {
  const { spec } = set;
  // It is always there, so that whoever writes the set owns it.
  setTemplateGeneration(set, templateGeneration(set));
  spec.updateStrategy.type ||= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template, context);
}

export function prepareForCreate(set: DaemonSet): void {
  set.status = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
  setTemplateGeneration(set, Math.max(1, templateGeneration(set)));
}

export function prepareForUpdate(set: DaemonSet, old: DaemonSet): void {
  keepStatus(set, old);
  const hasChanged = !equalJson(set.spec.template, old.spec.template);
  setTemplateGeneration(set, templateGeneration(old) + (hasChanged ? 1 : 0));
}

function templateGeneration({ metadata }: DaemonSet): number {
  const text = metadata.annotations?.[TEMPLATE_GENERATION] ?? "";
  return /^-?[0-9]{1,15}$/.test(text) ? Number(text) : 0;
}

function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations ??= {};
  metadata.annotations[TEMPLATE_GENERATION] = String(generation);
}
