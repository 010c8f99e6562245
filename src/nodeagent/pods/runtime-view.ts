// What the container runtime has, pod by pod: asked for again and again, since not every runtime tells of changes.

import type { Names } from "../../meta/names.ts";
import type { Container, ContainerStatus } from "../cri/container-messages.ts";
import { type CriClient, isGrpcError } from "../cri/cri-client.ts";
import type { PodSandbox } from "../cri/sandbox-messages.ts";
import { podIpsOf } from "../node/addresses.ts";
import { noRuntimePod, type RuntimeContainer, type RuntimePod, type RuntimeSandbox } from "./runtime-pod.ts";

interface RuntimeViewDeps {
  readonly cri: Pick<
    CriClient,
    "states" | "listPodSandbox" | "listContainers" | "containerStatus" | "podSandboxStatus"
  >;
  readonly names: Names;
  /** Of --node-ip: the addresses of pods are in their order. */
  readonly nodeIps: readonly string[];
  /** The last message of a container that has ended, where the runtime tells none. */
  readonly messageOf: (status: ContainerStatus) => Promise<string>;
  /** The runtime does not say what it has of a pod; it is asked again at the next look. */
  readonly onError: (error: unknown, uid: string) => void;
}

export class RuntimeView {
  readonly #deps: RuntimeViewDeps;
  #pods = new Map<string, RuntimePod>();
  /**
   * Of every sandbox and container, as the whole lists had them last, of others' too. Not known once a pod was asked about
   * by itself: whichever of two answers is the older one may have been taken last.
   */
  #states: ReadonlyMap<string, string> | undefined;
  #refreshes = 0;
  /** What each sandbox and container was in when it was asked about last. */
  #signatures = new Map<string, string>();
  /** Details do not change while the state does not. */
  readonly #details = new Map<string, { readonly state: string; readonly status: ContainerStatus }>();
  readonly #addresses = new Map<string, readonly string[]>();

  constructor(deps: RuntimeViewDeps) {
    this.#deps = deps;
  }

  /** As it was last seen: the same object until something of it is another. */
  pod(uid: string): RuntimePod | undefined {
    return this.#pods.get(uid);
  }

  pods(): Iterable<RuntimePod> {
    return this.#pods.values();
  }

  /** Asks about everything. Returns the pods that are not as they were. */
  async relist(signal?: AbortSignal): Promise<Set<string>> {
    const { cri, onError } = this.#deps;
    const refreshes = this.#refreshes;
    if (this.#states !== undefined && isSame(this.#states, await this.#askStates(signal))) return new Set();
    const [{ items }, { containers }] = await Promise.all([
      cri.listPodSandbox({}, { signal }),
      cri.listContainers({}, { signal }),
    ]);
    const groups = this.#grouped(items, containers);
    const changed = new Set<string>();
    for (const uid of new Set([...groups.keys(), ...this.#signatures.keys()])) {
      const group = groups.get(uid);
      const signature = group === undefined ? undefined : signatureOf(group);
      if (this.#signatures.get(uid) !== signature || (signature !== undefined && !this.#pods.has(uid)))
        changed.add(uid);
    }
    let isWhole = true;
    for (const uid of changed) {
      try {
        await this.#take(uid, groups.get(uid), signal);
      } catch (error) {
        signal?.throwIfAborted();
        // One that the runtime is in trouble with does not hide all others.
        isWhole = false;
        changed.delete(uid);
        onError(error, uid);
      }
    }
    this.#forgetGone(items, containers);
    this.#states = isWhole && this.#refreshes === refreshes ? statesOf(items, containers) : undefined;
    return changed;
  }

  async #askStates(signal: AbortSignal | undefined): Promise<ReadonlyMap<string, string>> {
    const { states } = this.#deps.cri;
    const [{ items }, { containers }] = await Promise.all([
      states.listPodSandbox({}, { signal }),
      states.listContainers({}, { signal }),
    ]);
    return statesOf(items, containers);
  }

  /** Asks about one pod. */
  async refresh(uid: string, signal?: AbortSignal): Promise<RuntimePod | undefined> {
    const { cri, names } = this.#deps;
    const filter = { labelSelector: { [names.runtimePodUid]: uid } };
    const [{ items }, { containers }] = await Promise.all([
      cri.listPodSandbox({ filter }, { signal }),
      cri.listContainers({ filter }, { signal }),
    ]);
    await this.#take(uid, this.#grouped(items, containers).get(uid), signal);
    this.#refreshes += 1;
    this.#states = undefined;
    return this.#pods.get(uid);
  }

  #grouped(sandboxes: readonly PodSandbox[], containers: readonly Container[]): Map<string, Group> {
    const { names } = this.#deps;
    const groups = new Map<string, Group>();
    const groupOf = (uid: string): Group => {
      const known = groups.get(uid);
      if (known !== undefined) return known;
      const group = { sandboxes: [], containers: [] };
      groups.set(uid, group);
      return group;
    };
    // What others have put into the runtime is none of the agent's business.
    for (const sandbox of sandboxes) {
      const uid = sandbox.labels[names.runtimePodUid];
      if (uid) groupOf(uid).sandboxes.push(sandbox);
    }
    for (const container of containers) {
      const uid = container.labels[names.runtimePodUid];
      if (uid && container.labels[names.runtimeContainerName]) groupOf(uid).containers.push(container);
    }
    return groups;
  }

  async #take(uid: string, group: Group | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (group === undefined) {
      this.#pods.delete(uid);
      this.#signatures.delete(uid);
      return;
    }
    const labels = (group.sandboxes[0] ?? group.containers[0])?.labels ?? {};
    const { names } = this.#deps;
    const name = group.sandboxes[0]?.metadata?.name ?? labels[names.runtimePodName] ?? "";
    const namespace = group.sandboxes[0]?.metadata?.namespace ?? labels[names.runtimePodNamespace] ?? "";
    const sandboxes = await Promise.all(group.sandboxes.map((sandbox) => this.#sandbox(sandbox, signal)));
    const containers = await Promise.all(group.containers.map((container) => this.#container(container, signal)));
    const newestFirst = (a: { createdAtMs: number }, b: { createdAtMs: number }) => b.createdAtMs - a.createdAtMs;
    this.#pods.set(uid, {
      ...noRuntimePod(uid, name, namespace),
      sandboxes: present(sandboxes).sort((a, b) => newestFirst(a, b) || b.attempt - a.attempt),
      containers: present(containers).sort((a, b) => newestFirst(a, b) || b.restartCount - a.restartCount),
    });
    this.#signatures.set(uid, signatureOf(group));
  }

  async #sandbox(
    { id, metadata, state, createdAt }: PodSandbox,
    signal?: AbortSignal,
  ): Promise<RuntimeSandbox | undefined> {
    const ready = state === "SANDBOX_READY";
    const base = { id, attempt: metadata?.attempt ?? 0, ready, createdAtMs: createdAt / 1e6 };
    if (!ready) return { ...base, ips: this.#addresses.get(id) ?? [], hostNetwork: false };
    try {
      const { status } = await this.#deps.cri.podSandboxStatus({ podSandboxId: id }, { signal });
      const { ip = "", additionalIps = [] } = status?.network ?? {};
      const ips = ip === "" ? [] : podIpsOf([ip, ...additionalIps.map((each) => each.ip)], this.#deps.nodeIps);
      if (ips.length > 0) this.#addresses.set(id, ips);
      const hostNetwork = status?.linux?.namespaces?.options?.network === "NODE";
      return { ...base, ready: status?.state === "SANDBOX_READY", ips, hostNetwork };
    } catch (error) {
      if (isGrpcError(error, "NotFound")) return undefined;
      throw error;
    }
  }

  async #container(container: Container, signal?: AbortSignal): Promise<RuntimeContainer | undefined> {
    const { id, podSandboxId, state } = container;
    const known = this.#details.get(id);
    let status = known?.state === state ? known.status : undefined;
    if (status === undefined) {
      try {
        status = (await this.#deps.cri.containerStatus({ containerId: id }, { signal })).status;
      } catch (error) {
        if (isGrpcError(error, "NotFound")) return undefined;
        throw error;
      }
      if (status === undefined) return undefined;
      if (status.state === "CONTAINER_EXITED" && status.message === "")
        status = { ...status, message: await this.#deps.messageOf(status) };
      this.#details.set(id, { state: status.state, status });
    }
    return runOf(status, podSandboxId, this.#deps.names);
  }

  #forgetGone(sandboxes: readonly PodSandbox[], containers: readonly Container[]): void {
    const ids = new Set([...sandboxes.map(({ id }) => id), ...containers.map(({ id }) => id)]);
    for (const id of this.#details.keys()) if (!ids.has(id)) this.#details.delete(id);
    for (const id of this.#addresses.keys()) if (!ids.has(id)) this.#addresses.delete(id);
  }
}

interface Group {
  readonly sandboxes: PodSandbox[];
  readonly containers: Container[];
}

const STATES = {
  CONTAINER_CREATED: "created",
  CONTAINER_RUNNING: "running",
  CONTAINER_EXITED: "exited",
  CONTAINER_UNKNOWN: "unknown",
} as const;

function runOf(status: ContainerStatus, sandboxId: string, names: Names): RuntimeContainer {
  const { id, metadata, state, annotations, image, user } = status;
  return {
    id,
    name: status.labels[names.runtimeContainerName] ?? metadata?.name ?? "",
    sandboxId,
    state: STATES[state],
    restartCount: Number(annotations[names.runtimeContainerRestartCount] ?? metadata?.attempt ?? 0) || 0,
    hash: annotations[names.runtimeContainerHash] ?? "",
    createdAtMs: status.createdAt / 1e6,
    startedAtMs: status.startedAt / 1e6,
    finishedAtMs: status.finishedAt / 1e6,
    exitCode: status.exitCode,
    reason: status.reason,
    message: status.message,
    image: image?.userSpecifiedImage || image?.image || "",
    imageId: status.imageRef,
    imageSpec: image?.image ?? "",
    annotations,
    mounts: status.mounts.map(({ containerPath, hostPath }) => ({ containerPath, hostPath })),
    ...(user?.linux === undefined ? {} : { user: user.linux }),
  };
}

function signatureOf({ sandboxes, containers }: Group): string {
  return [...sandboxes, ...containers]
    .map(({ id, state }) => `${id}:${state}`)
    .sort()
    .join();
}

interface InState {
  readonly id: string;
  readonly state: string;
}

function statesOf(sandboxes: readonly InState[], containers: readonly InState[]): Map<string, string> {
  const states = new Map<string, string>();
  for (const { id, state } of sandboxes) states.set(id, state);
  for (const { id, state } of containers) states.set(id, state);
  return states;
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false;
  for (const [id, state] of one) if (other.get(id) !== state) return false;
  return true;
}

const present = <T>(list: readonly (T | undefined)[]): T[] => list.filter((item) => item !== undefined);
