// Which runs and sandboxes of a pod that lives are kept for nobody. Pure.

import type { RuntimeContainer, RuntimePod, RuntimeSandbox } from "./runtime-pod.ts";

/** Of each container the newest run stays, and the one before it: its end and its log are asked for. */
const KEPT_RUNS = 2;

export function deadContainers({ containers }: RuntimePod): RuntimeContainer[] {
  const seen = new Map<string, number>();
  return containers.filter(({ name, state }) => {
    const newer = seen.get(name) ?? 0;
    seen.set(name, newer + 1);
    return newer >= KEPT_RUNS && (state === "exited" || state === "created");
  });
}

/** All but the newest, once no container is left in them. */
export function deadSandboxes({ sandboxes, containers }: RuntimePod): RuntimeSandbox[] {
  const used = new Set(containers.map(({ sandboxId }) => sandboxId));
  return sandboxes.slice(1).filter(({ id, ready }) => !ready && !used.has(id));
}
