// What the container runtime has of one pod: its sandboxes and the runs of its containers.

import type { PodAddresses } from "../containers/pod-facts.ts";

export interface RuntimePod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Newest first. */
  readonly sandboxes: readonly RuntimeSandbox[];
  /** Every run of every container, newest first. */
  readonly containers: readonly RuntimeContainer[];
}

export interface RuntimeSandbox {
  readonly id: string;
  readonly attempt: number;
  readonly ready: boolean;
  readonly createdAtMs: number;
  /** Empty for a sandbox in the node's network. */
  readonly ips: readonly string[];
  readonly hostNetwork: boolean;
}

type ContainerRunState = "created" | "running" | "exited" | "unknown";

export interface RuntimeContainer {
  readonly id: string;
  readonly name: string;
  readonly sandboxId: string;
  readonly state: ContainerRunState;
  readonly restartCount: number;
  /** Of the part of its spec whose change needs another run; empty when another agent has made it. */
  readonly hash: string;
  readonly createdAtMs: number;
  /** 0 while it has not been. */
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly image: string;
  readonly imageId: string;
  /** By what the runtime was told to use it. */
  readonly imageSpec: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly mounts: readonly { readonly containerPath: string; readonly hostPath: string }[];
  readonly user?: ContainerUser | undefined;
}

interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}

export function noRuntimePod(uid: string, name: string, namespace: string): RuntimePod {
  return { uid, name, namespace, sandboxes: [], containers: [] };
}

/** The newest run of a container. */
export function latestRun({ containers }: RuntimePod, name: string): RuntimeContainer | undefined {
  return containers.find((container) => container.name === name);
}

export function hasRunningContainers({ containers }: RuntimePod): boolean {
  return containers.some(({ state }) => state === "running" || state === "unknown");
}

/** Of the newest sandbox; in the node's network they are the node's. */
export function addressesOf({ sandboxes }: RuntimePod, hostIPs: readonly string[]): PodAddresses {
  const [newest] = sandboxes;
  return { hostIPs, podIPs: newest?.hostNetwork ? hostIPs : (newest?.ips ?? []) };
}
