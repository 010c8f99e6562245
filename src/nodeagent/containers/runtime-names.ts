// By what the agent knows its sandboxes and containers again in the runtime, and where their logs lie.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";

type Texts = Record<string, string>;

export function podLabels(names: Names, { metadata }: Pod): Texts {
  return {
    [names.runtimePodName]: metadata.name ?? "",
    [names.runtimePodNamespace]: metadata.namespace ?? "",
    [names.runtimePodUid]: metadata.uid ?? "",
  };
}

export function containerLabels(names: Names, pod: Pod, { name }: { readonly name: string }): Texts {
  return { ...podLabels(names, pod), [names.runtimeContainerName]: name };
}

export function containerAnnotations(
  names: Names,
  { spec }: Pod,
  container: Container | EphemeralContainer,
  restartCount: number,
): Texts {
  return {
    [names.runtimeContainerHash]: containerHash(container),
    [names.runtimeContainerRestartCount]: String(restartCount),
    [names.runtimeTerminationMessagePath]: container.terminationMessagePath ?? "",
    [names.runtimeTerminationMessagePolicy]: container.terminationMessagePolicy ?? "",
    ...(spec.terminationGracePeriodSeconds === undefined
      ? {}
      : { [names.runtimePodGracePeriod]: String(spec.terminationGracePeriodSeconds) }),
  };
}

/** Of the part of the spec whose change needs another run: nothing else of a container can change but its resources. */
export function containerHash({ name, image = "" }: { readonly name: string; readonly image?: string }): string {
  return createHash("sha256")
    .update(JSON.stringify([name, image]))
    .digest("hex")
    .slice(0, 16);
}

/** `<namespace>_<name>_<uid>` below the directory for logs. */
export function podLogDirectory(logs: string, { metadata }: Pod): string {
  return join(logs, `${metadata.namespace}_${metadata.name}_${metadata.uid}`);
}

/** The uid of the pod whose logs lie in a directory of this name; undefined for the names of others. */
export function podOfLogDirectory(name: string): string | undefined {
  return /^[a-z0-9-]+_[a-z0-9.-]+_([A-Za-z0-9-]+)$/.exec(name)?.[1];
}

/** Below the pod's directory for logs. */
export const containerLogPath = (container: string, restartCount: number): string => `${container}/${restartCount}.log`;
