// Where the agent keeps its files. Requirements: document 3, "Node-agent local files and sockets".

import { join } from "node:path";

export const DEFAULT_ROOT_DIR = "/var/lib/nodeagent";
export const DEFAULT_CERT_DIR = `${DEFAULT_ROOT_DIR}/pki`;

export type AgentPaths = ReturnType<typeof agentPaths>;

export function agentPaths({ rootDir, certDir }: { readonly rootDir: string; readonly certDir: string }) {
  const below = (...parts: readonly string[]) => join(rootDir, ...parts);
  return {
    rootDir,
    certDir,
    /** One folder for each pod, by uid: volumes, hosts file, termination messages. */
    pods: below("pods"),
    seccomp: below("seccomp"),
    checkpoints: below("checkpoints"),
    pluginsRegistry: below("plugins_registry"),
    plugins: below("plugins"),
    podResources: below("pod-resources"),
    devicePlugins: below("device-plugins"),
    /** Image pull records: `pulling` and `pulled` are below it. */
    imageManager: below("image_manager"),
    allocatedPodsState: below("allocated_pods_state"),
    actuatedPodsState: below("actuated_pods_state"),
    draManagerState: below("dra_manager_state"),
    cpuManagerState: below("cpu_manager_state"),
    memoryManagerState: below("memory_manager_state"),
    gracefulShutdownState: below("graceful_node_shutdown_state"),
  } as const;
}
