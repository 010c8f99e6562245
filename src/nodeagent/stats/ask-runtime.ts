// What the runtime tells of what its pods use. Runtimes differ: they tell of sandboxes, of containers, or of neither.

import type { CriClient } from "../cri/cri-client.ts";
import type { ContainerStats, PodSandboxStats } from "../cri/stats-messages.ts";

export interface RuntimeStats {
  readonly sandboxes: readonly PodSandboxStats[];
  readonly containers: readonly ContainerStats[];
  /** The runtime could not be asked at all. */
  readonly failed: boolean;
}

export async function askRuntime(
  cri: Pick<CriClient, "listPodSandboxStats" | "listContainerStats">,
): Promise<RuntimeStats> {
  const [sandboxes, containers] = await Promise.all([
    cri.listPodSandboxStats({}).catch(() => undefined),
    cri.listContainerStats({}).catch(() => undefined),
  ]);
  const failed = sandboxes === undefined && containers === undefined;
  return { sandboxes: sandboxes?.stats ?? [], containers: containers?.stats ?? [], failed };
}
