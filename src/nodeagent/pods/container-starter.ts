// Starts one container: image, settings, creation, start, and what it wants done right after.

import type { Pod } from "../../kinds/core/pod.ts";
import { containerConfig } from "../containers/container-config.ts";
import { environmentOf, environmentSources } from "../containers/environment.ts";
import { type LinuxResources, linuxResources, type NodeResources } from "../containers/linux-resources.ts";
import { namespacesOf, type UserRange } from "../containers/namespaces.ts";
import { FactError, type PodAddresses } from "../containers/pod-facts.ts";
import { type RuntimeSeccomp, seccompOf } from "../containers/seccomp-profile.ts";
import { securityContextOf } from "../containers/security-context.ts";
import type { AgentContext } from "../context.ts";
import type { ContainerConfig, Mount } from "../cri/container-messages.ts";
import type { Image } from "../cri/image-messages.ts";
import type { PodSandboxConfig } from "../cri/sandbox-messages.ts";
import { ImageError, type ImagePuller } from "../images/image-puller.ts";
import type { PodCredentials } from "../images/pod-credentials.ts";
import type { DeviceAnswer } from "../plugins/device-messages.ts";
import { containerDevices, containerMounts } from "../volumes/container-mounts.ts";
import type { ReadyVolume } from "../volumes/pod-volumes.ts";
import { readVariableFiles } from "../volumes/variable-files.ts";
import { reportOnContainer } from "./container-events.ts";
import { runHook } from "./lifecycle-hooks.ts";
import type { PodDirectories } from "./pod-directories.ts";
import { fullName, graceSecondsOf } from "./pod-entry.ts";
import type { PodObjects } from "./pod-objects.ts";
import type { PodStopper } from "./pod-stopper.ts";
import type { PodTotals } from "./pod-totals.ts";
import { checkSeccompFile } from "./seccomp-file.ts";
import { ContainerStartError, messageOf } from "./start-error.ts";
import type { StartAction } from "./sync-actions.ts";

/** What all containers of a pod share when they are started. */
export interface StartFacts {
  readonly pod: Pod;
  readonly sandboxId: string;
  readonly sandboxConfig: PodSandboxConfig;
  readonly runtimeHandler: string;
  readonly addresses: PodAddresses;
  readonly volumes: ReadonlyMap<string, ReadyVolume>;
  readonly services: ReadonlyMap<string, string>;
  readonly users: UserRange | undefined;
  readonly hostsFile: string | undefined;
  readonly canRecursiveReadOnly: boolean;
  /** The id of a running container, for those that shall see its processes. */
  readonly runningId: (container: string) => string | undefined;
}

interface ContainerStarterDeps {
  readonly context: AgentContext;
  readonly objects: PodObjects;
  readonly credentials: PodCredentials;
  readonly directories: PodDirectories;
  readonly images: ImagePuller;
  readonly nodeResources: () => NodeResources;
  readonly stopper: Pick<PodStopper, "stopContainer">;
  readonly totals: PodTotals;
}

export class ContainerStarter {
  readonly #deps: ContainerStarterDeps;

  constructor(deps: ContainerStarterDeps) {
    this.#deps = deps;
  }

  /** Fails with ContainerStartError; it has been reported as an event then. */
  async start(facts: StartFacts, action: StartAction, restartCount: number, signal: AbortSignal): Promise<void> {
    const { context, totals } = this.#deps;
    const { pod } = facts;
    const { container, sort } = action;
    const report = (type: "Normal" | "Warning", reason: string, message: string) =>
      reportOnContainer(context.recorder, pod, container.name, { type, reason, message });
    totals.startedContainer(sort);
    try {
      const image = await this.#image(facts, action, report, signal);
      const config = await this.#config(facts, action, image, restartCount);
      const containerId = await this.#create(facts, config);
      report("Normal", "Created", `Created container: ${container.name}`);
      await this.#run(containerId);
      report("Normal", "Started", `Started container ${container.name}`);
      await this.#afterStart(facts, action, containerId, signal);
    } catch (error) {
      // Somebody wants no more of it: nothing has failed.
      signal.throwIfAborted();
      const known = startErrorOf(error);
      totals.failedContainer(sort, known.reason);
      // What went wrong with an image has been reported at length, and a hook's words may hold secrets.
      if (known.reason === "PostStartHookError") report("Warning", "FailedPostStartHook", "PostStartHook failed");
      else report("Warning", "Failed", `Error: ${error instanceof ImageError ? error.reason : known.message}`);
      throw known;
    }
  }

  async #image(
    { pod, sandboxConfig, runtimeHandler }: StartFacts,
    { container }: StartAction,
    report: (type: "Normal" | "Warning", reason: string, message: string) => void,
    signal: AbortSignal,
  ): Promise<Image> {
    const { credentials, images } = this.#deps;
    return await images.ensure({
      image: container.image ?? "",
      policy: container.imagePullPolicy ?? "IfNotPresent",
      podUid: pod.metadata.uid ?? "",
      credentials: () => credentials.of(pod, container.image ?? ""),
      sandboxConfig,
      runtimeHandler,
      report,
      signal,
    });
  }

  /** What is missing or contradicts itself is a fault of the pod's settings, not of the runtime. */
  async #config(facts: StartFacts, action: StartAction, image: Image, restartCount: number): Promise<ContainerConfig> {
    const { container } = action;
    try {
      const environment = await this.#environment(facts, action);
      const mounts = [
        ...(await containerMounts(container, { ...facts, environment, subPaths: this.#subPaths(facts.pod) })),
        ...(await this.#ownMounts(facts, action)),
      ];
      const seccomp = this.#seccomp(facts, action);
      await checkSeccompFile(seccomp);
      const devices = await this.#devices(facts.pod, container);
      const targetId = this.#targetId(facts, action);
      const imageUser = { uid: image.uid?.value, username: image.username };
      const namespaces = namespacesOf(facts.pod, { users: facts.users, targetId });
      const securityContext = securityContextOf(facts.pod, container, { namespaces, seccomp, imageUser });
      return containerConfig(facts.pod, container, {
        names: this.#deps.context.names,
        restartCount,
        imageRef: image.id || container.image || "",
        runtimeHandler: facts.runtimeHandler,
        environment,
        mounts,
        devices,
        blockDevices: containerDevices(container, facts.volumes),
        resources: this.#resources(facts.pod, container),
        securityContext,
      });
    } catch (error) {
      if (error instanceof FactError) throw new ContainerStartError("CreateContainerConfigError", error.message);
      throw error;
    }
  }

  /** Only the system's own user may mount. */
  #subPaths({ metadata }: Pod): string | undefined {
    return process.getuid?.() === 0 ? this.#deps.directories.subPathsOf(metadata.uid ?? "") : undefined;
  }

  /** Of plug-ins, and of resource claims. */
  async #devices(pod: Pod, container: StartAction["container"]): Promise<readonly DeviceAnswer[]> {
    const { devices, claims } = this.#deps.context;
    const ids = await claims.devicesFor(pod, container);
    const claimed = { envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: ids.map((name) => ({ name })) };
    return [...(await devices.prepare(pod, container)), ...(ids.length === 0 ? [] : [claimed])];
  }

  #resources(pod: Pod, container: StartAction["container"]): LinuxResources {
    const { context, nodeResources } = this.#deps;
    const uid = pod.metadata.uid ?? "";
    const cpusetMems = context.memory.nodesOf(uid, container.name);
    const resources = {
      ...linuxResources(pod, container, nodeResources()),
      ...(cpusetMems === "" ? {} : { cpusetMems }),
    };
    const cpusetCpus = context.cpus.cpusOf(uid, container.name);
    if (cpusetCpus === "") return resources;
    const isAlone =
      context.cpus.exclusiveOf(uid, container.name).length > 0 &&
      context.gates.enabled("DisableCPUQuotaWithExclusiveCPUs");
    // Who has processors for itself cannot use more of them than there are.
    return { ...resources, cpusetCpus, ...(isAlone ? { cpuPeriod: 0, cpuQuota: 0 } : {}) };
  }

  async #environment(
    { pod, addresses, services, volumes }: StartFacts,
    { container }: StartAction,
  ): Promise<Map<string, string>> {
    const { context, objects } = this.#deps;
    const { configMaps, secrets, files } = environmentSources(container);
    const keysOf = await objects.keys(pod.metadata.namespace ?? "", { configMaps, secrets, textOnly: true });
    const textOfFile = context.gates.enabled("EnvFiles") ? await readVariableFiles(files, volumes) : undefined;
    const allocatable = context.node.allocatable();
    return environmentOf(container, { pod, addresses, allocatable, services, keysOf, textOfFile });
  }

  /** The hosts file and the one for last messages, unless a volume stands there. */
  async #ownMounts({ pod, hostsFile }: StartFacts, { container }: StartAction): Promise<Mount[]> {
    const taken = new Set((container.volumeMounts ?? []).map(({ mountPath }) => mountPath));
    const mounts: Mount[] = [];
    if (hostsFile !== undefined && !taken.has("/etc/hosts"))
      mounts.push({ containerPath: "/etc/hosts", hostPath: hostsFile, readonly: false });
    const path = container.terminationMessagePath;
    if (path && !taken.has(path)) {
      const hostPath = await this.#deps.directories.makeMessageFile(pod.metadata.uid ?? "", container.name);
      mounts.push({ containerPath: path, hostPath, readonly: false });
    }
    return mounts;
  }

  #seccomp({ pod }: StartFacts, { container }: StartAction): RuntimeSeccomp {
    const { config, paths } = this.#deps.context;
    const settings = { directory: paths.seccomp, defaultToRuntime: config.seccompDefault };
    return seccompOf(container.securityContext?.seccompProfile, pod.spec.securityContext?.seccompProfile, settings);
  }

  #targetId({ runningId }: StartFacts, { container }: StartAction): string | undefined {
    const target = "targetContainerName" in container ? container.targetContainerName : undefined;
    if (!target) return undefined;
    const id = runningId(target);
    if (id === undefined) throw new FactError(`unable to find target container ${target}`);
    return id;
  }

  async #create({ sandboxId, sandboxConfig }: StartFacts, config: ContainerConfig): Promise<string> {
    const { containerId } = await this.#deps.context.cri.createContainer({
      podSandboxId: sandboxId,
      config,
      sandboxConfig,
    });
    return containerId;
  }

  async #run(containerId: string): Promise<void> {
    try {
      await this.#deps.context.cri.startContainer({ containerId });
    } catch (error) {
      throw new ContainerStartError("RunContainerError", messageOf(error));
    }
  }

  async #afterStart(facts: StartFacts, action: StartAction, containerId: string, signal: AbortSignal): Promise<void> {
    const { pod, addresses } = facts;
    const { container } = action;
    const hook = container.lifecycle?.postStart;
    if (hook === undefined) return;
    const { context, totals } = this.#deps;
    const { cri, clock, recorder } = context;
    const podIp = addresses.podIPs[0] ?? "";
    try {
      const target = { cri, clock, container, containerId, podIp, timeoutMs: 0, signal };
      await runHook(hook, target, totals.hookEvents(pod, recorder));
    } catch (error) {
      signal.throwIfAborted();
      await this.#stop(facts, action, containerId, signal);
      throw new ContainerStartError(
        "PostStartHookError",
        `PostStartHook failed in pod ${fullName(pod)}: ${messageOf(error)}`,
      );
    }
  }

  /** As any other: with what it wants done before, and its time. That it cannot be stopped is not why it could not start. */
  async #stop(
    { pod, addresses }: StartFacts,
    { container }: StartAction,
    containerId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { context, stopper } = this.#deps;
    const told = { ...pod, status: { ...pod.status, podIP: addresses.podIPs[0] ?? "" } };
    const graceSeconds = graceSecondsOf({ pod, isRemoved: false });
    const order = { pod: told, graceSeconds, message: "FailedPostStartHook", signal };
    await stopper
      .stopContainer({ id: containerId, name: container.name, state: "running" }, order)
      .catch((error: unknown) => context.log.warn({ err: error, containerId }, "a container cannot be stopped"));
  }
}

function startErrorOf(error: unknown): ContainerStartError {
  if (error instanceof ContainerStartError) return error;
  if (error instanceof ImageError) return new ContainerStartError(error.reason, error.message);
  return new ContainerStartError("CreateContainerError", messageOf(error));
}
