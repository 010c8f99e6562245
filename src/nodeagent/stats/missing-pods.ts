// Pods that the runtime tells nothing of though it tells of their containers: one sandbox that is just being made or removed
// makes some runtimes refuse to tell of any. What such a pod uses is what its containers use.

import { groupBy, indexBy } from "../../base/index-by.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { ContainerStats, PodSandboxStats } from "../cri/stats-messages.ts";
import type { RuntimeStats } from "./ask-runtime.ts";

/** All pods, each with its containers. `uidLabel` is the label by which containers name their pod. */
export function withMissingPods(
  { sandboxes, containers }: Pick<RuntimeStats, "sandboxes" | "containers">,
  pods: readonly Pod[],
  uidLabel: string,
): readonly PodSandboxStats[] {
  const told = new Set(sandboxes.map(({ attributes }) => attributes?.metadata?.uid));
  const byPod = groupBy(containers, ({ attributes }) => attributes?.labels[uidLabel] ?? "");
  const known = indexBy(pods, ({ metadata }) => metadata.uid ?? "");
  const missing = [...byPod].flatMap(([uid, own]) => {
    const pod = known.get(uid);
    return pod === undefined || told.has(uid) ? [] : [sumOf(pod, own)];
  });
  return [...sandboxes.map((each) => completed(each, byPod)), ...missing];
}

/** A runtime may tell of containers in a list of their own. */
function completed(sandbox: PodSandboxStats, byPod: ReadonlyMap<string, readonly ContainerStats[]>): PodSandboxStats {
  const { attributes, linux } = sandbox;
  const own = byPod.get(attributes?.metadata?.uid ?? "");
  if (own === undefined || (linux?.containers.length ?? 0) > 0) return sandbox;
  const nothing = { cpu: undefined, memory: undefined, network: undefined, process: undefined };
  return { ...sandbox, linux: { ...nothing, ...linux, containers: [...own] } };
}

function sumOf({ metadata }: Pod, containers: readonly ContainerStats[]): PodSandboxStats {
  const { name = "", namespace = "", uid = "" } = metadata;
  const newest = (part: "cpu" | "memory") =>
    containers.reduce((latest, each) => Math.max(latest, each[part]?.timestamp ?? 0), 0);
  return {
    attributes: { id: "", metadata: { name, namespace, uid, attempt: 0 }, labels: {}, annotations: {} },
    linux: {
      cpu: {
        timestamp: newest("cpu"),
        usageCoreNanoSeconds: sum(containers, ({ cpu }) => cpu?.usageCoreNanoSeconds),
        usageNanoCores: sum(containers, ({ cpu }) => cpu?.usageNanoCores),
        psi: undefined,
      },
      memory: {
        timestamp: newest("memory"),
        workingSetBytes: sum(containers, ({ memory }) => memory?.workingSetBytes),
        availableBytes: undefined,
        usageBytes: sum(containers, ({ memory }) => memory?.usageBytes),
        rssBytes: sum(containers, ({ memory }) => memory?.rssBytes),
        pageFaults: sum(containers, ({ memory }) => memory?.pageFaults),
        majorPageFaults: sum(containers, ({ memory }) => memory?.majorPageFaults),
        psi: undefined,
      },
      network: undefined,
      process: undefined,
      containers: [...containers],
    },
  };
}

type Amount = { readonly value: number } | undefined;

/** Undefined where no container says anything. */
function sum(containers: readonly ContainerStats[], amountOf: (container: ContainerStats) => Amount): Amount {
  const values = containers.flatMap((each) => amountOf(each)?.value ?? []);
  return values.length === 0 ? undefined : { value: values.reduce((total, each) => total + each, 0) };
}
