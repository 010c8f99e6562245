// The conditions of the node. Requirements: document 3, "Node status fields" (Ready, DiskPressure, MemoryPressure,
// PIDPressure, NetworkUnavailable). Pure.

export type Pressure = "memory" | "disk" | "pid";

export interface NodeCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

interface ConditionFacts {
  readonly pressures: ReadonlySet<Pressure>;
  /** Why the node is not ready for pods; empty when it is. */
  readonly problems: readonly string[];
  /** Why pods have no network; undefined when they have. */
  readonly networkProblem: string | undefined;
}

/** The reasons by which the agent knows its own NetworkUnavailable from that of a network add-on, which it leaves alone. */
export const NETWORK_REASONS: readonly string[] = ["RuntimeNetworkReady", "RuntimeNetworkNotReady"];

/** In the order in which they are shown. */
export function nodeConditions({ pressures, problems, networkProblem }: ConditionFacts): NodeCondition[] {
  const network = networkProblem;
  const all = [...(network === undefined ? [] : [`container runtime network not ready: ${network}`]), ...problems];
  return [
    pressures.has("memory")
      ? said("MemoryPressure", true, "KubeletHasInsufficientMemory", "kubelet has insufficient memory available")
      : said("MemoryPressure", false, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    pressures.has("disk")
      ? said("DiskPressure", true, "KubeletHasDiskPressure", "kubelet has disk pressure")
      : said("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    pressures.has("pid")
      ? said("PIDPressure", true, "KubeletHasInsufficientPID", "kubelet has insufficient PID available")
      : said("PIDPressure", false, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    network === undefined
      ? said("NetworkUnavailable", false, "RuntimeNetworkReady", "the container runtime's network is ready")
      : said("NetworkUnavailable", true, "RuntimeNetworkNotReady", network),
    all.length === 0
      ? said("Ready", true, "KubeletReady", "kubelet is posting ready status")
      : said("Ready", false, "KubeletNotReady", all.length === 1 ? all[0]! : `[${all.join(", ")}]`),
  ];
}

function said(type: string, holds: boolean, reason: string, message: string): NodeCondition {
  return { type, status: holds ? "True" : "False", reason, message: message.slice(0, MAX_MESSAGE_CHARS) };
}

const MAX_MESSAGE_CHARS = 4_096;
