// Admission: a pod takes over what its runtime class demands: overhead, node selector, tolerations.

import { cloneJson, equalJson } from "../base/json.ts";
import type { Pod } from "../kinds/core/pod.ts";
import type { RuntimeClass } from "../kinds/node/runtime-class.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { concernsPod } from "./match-request.ts";
import { findFresh, type Lookup } from "./mirrors.ts";
import { refusal } from "./refusal.ts";
import { mergeTolerations } from "./tolerations.ts";

export function runtimeClass(classes: Lookup<RuntimeClass> | undefined): AdmissionPlugin {
  return {
    name: "RuntimeClass",
    resources: ["pods"],
    handles: (request) => request.operation === "CREATE" && concernsPod(request),
    async mutate(request) {
      const chosen = await classOf(request, classes);
      if (chosen === undefined) return;
      setOverhead(request, chosen);
      setScheduling(request, chosen);
    },
    async validate(request) {
      const overhead = (await classOf(request, classes))?.overhead?.podFixed;
      const { spec } = request.object as unknown as Pod;
      if (overhead != null) {
        if (!equalJson(overhead, spec.overhead ?? {})) throw mismatch(request);
      } else if (Object.keys(spec.overhead ?? {}).length > 0) {
        throw refusal(request, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
      }
    },
  };
}

async function classOf(
  request: AdmissionRequest,
  classes: Lookup<RuntimeClass> | undefined,
): Promise<RuntimeClass | undefined> {
  const { runtimeClassName } = (request.object as unknown as Pod).spec;
  if (runtimeClassName == null) return undefined;
  const found = await findFresh(classes, "", runtimeClassName);
  if (found === undefined)
    throw refusal(request, `pod rejected: RuntimeClass ${JSON.stringify(runtimeClassName)} not found`);
  return found;
}

function setOverhead(request: AdmissionRequest, { overhead }: RuntimeClass): void {
  const { spec } = request.object as unknown as Pod;
  if (overhead?.podFixed == null) return;
  if (spec.overhead != null && !equalJson(spec.overhead, overhead.podFixed)) throw mismatch(request);
  spec.overhead = { ...overhead.podFixed };
}

function mismatch(request: AdmissionRequest) {
  return refusal(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function setScheduling(request: AdmissionRequest, { scheduling }: RuntimeClass): void {
  const { spec } = request.object as unknown as Pod;
  const selector = new Map(Object.entries(spec.nodeSelector ?? {}));
  for (const [key, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
    const own = selector.get(key);
    if (own !== undefined && own !== value) {
      throw refusal(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    }
    selector.set(key, value);
  }
  if (selector.size > 0) spec.nodeSelector = Object.fromEntries(selector);
  const added = scheduling?.tolerations ?? [];
  if (added.length > 0) spec.tolerations = mergeTolerations(spec.tolerations ?? [], cloneJson([...added]));
}
