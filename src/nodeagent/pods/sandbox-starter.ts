// Makes the sandbox of a pod, and says what its containers are told of it.

import { readSmallFile } from "../../base/read-small-file.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type NodeResources, sandboxResources } from "../containers/linux-resources.ts";
import type { UserRange } from "../containers/namespaces.ts";
import { type PodDns, podDns } from "../containers/pod-dns.ts";
import { podLogDirectory } from "../containers/runtime-names.ts";
import { sandboxConfig } from "../containers/sandbox-config.ts";
import type { AgentContext } from "../context.ts";
import type { PodSandboxConfig } from "../cri/sandbox-messages.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import type { UserRanges } from "./user-ranges.ts";

export interface SandboxSettings {
  readonly runtimeHandler: string;
  readonly users: UserRange | undefined;
  readonly dns: PodDns;
}

interface SandboxStarterDeps {
  readonly context: AgentContext;
  readonly users: UserRanges;
  readonly kernelRelease: string;
  readonly nodeResources: () => NodeResources;
}

export class SandboxStarter {
  readonly #deps: SandboxStarterDeps;
  /** By the names of runtime classes, as they were seen last: pods go on while the API is away. */
  readonly #handlers = new Map<string, string>();

  constructor(deps: SandboxStarterDeps) {
    this.#deps = deps;
  }

  /** What the sandbox of a pod needs that its spec only names. Fails where the node cannot give it. */
  async settings(pod: Pod): Promise<SandboxSettings> {
    const { config } = this.#deps.context;
    const runtimeHandler = await this.#handlerOf(pod);
    const resolvConf = config.resolvConf ? await readSmallFile(config.resolvConf).then(String, () => "") : "";
    const dns = podDns(pod, { clusterDns: config.clusterDNS, clusterDomain: config.clusterDomain ?? "", resolvConf });
    return { runtimeHandler, dns, users: await this.#usersOf(pod, runtimeHandler) };
  }

  configOf(pod: Pod, { dns, users }: SandboxSettings, attempt: number): PodSandboxConfig {
    const { context, nodeResources } = this.#deps;
    const { names, config, cgroups } = context;
    const logDirectory = podLogDirectory(config.podLogsDir, pod);
    const cgroupParent = cgroups.parentOf(pod);
    const clusterDomain = config.clusterDomain ?? "";
    const resources = sandboxResources(pod, nodeResources());
    return sandboxConfig(pod, { names, attempt, logDirectory, dns, clusterDomain, users, cgroupParent, resources });
  }

  async start(config: PodSandboxConfig, { runtimeHandler }: SandboxSettings, signal: AbortSignal): Promise<string> {
    const { podSandboxId } = await this.#deps.context.cri.runPodSandbox({ config, runtimeHandler }, { signal });
    return podSandboxId;
  }

  async #handlerOf({ spec }: Pod): Promise<string> {
    const name = spec.runtimeClassName;
    if (!name) return "";
    try {
      const found = await this.#deps.context.client.node.v1.runtimeClasses().find(name);
      if (found === undefined) this.#handlers.delete(name);
      else this.#handlers.set(name, found.handler);
    } catch (error) {
      if (!this.#handlers.has(name)) throw error;
    }
    const handler = this.#handlers.get(name);
    if (handler === undefined) throw new Error(`failed to get sandbox runtime: runtimeclass "${name}" not found`);
    return handler;
  }

  /** A runtime that does not know of users of pods ignores the wish without a word: it has to say that it does. */
  async #usersOf({ metadata, spec }: Pod, handler: string): Promise<UserRange | undefined> {
    if (spec.hostUsers !== false) return undefined;
    const { context, users, kernelRelease } = this.#deps;
    const features = context.runtime.handlers().find(({ name }) => name === handler)?.features;
    if (!features?.userNamespaces)
      throw new Error(
        `can't set \`spec.hostUsers: false\`, ${handler === "" ? "runtime" : `RuntimeClass handler "${handler}"`} does not support user namespaces`,
      );
    if (!kernelAtLeast(kernelRelease, [6, 5]))
      throw new Error(
        `can't set \`spec.hostUsers: false\`, user namespaces of pods need kernel 6.5, this is ${kernelRelease}`,
      );
    return await users.take(metadata.uid ?? "");
  }
}
