// What each node needs, kept up to date by watching: a look-up instead of a search through the pods.
//
// After pod k1/p on node n1 that mounts Secret s and claim c, and volume v bound to claim k1/c with Secret k1/t:
//   #reached: "n1" -> { "secret k1/s": 1, "persistentvolumeclaim k1/c": 1 }   (number of pods)
//   #volumes: "v" -> claim "k1/c"; #volumesOfSecret: "k1/t" -> {"v"}
// Requirements: document 2, "Node authorizer".

import type { Log } from "../../base/log.ts";
import { podReferences, type ReferenceKind, volumeSecrets } from "../../kinds/core/pod/references.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ObjectMirror } from "../../registry/object-mirror.ts";

interface PodEntry {
  readonly node: string;
  /** Keys of what the pod needs, without repetition. */
  readonly needs: readonly string[];
}

interface VolumeEntry {
  readonly name: string;
  /** namespace/name. */
  readonly claim: string;
  readonly secrets: readonly string[];
}

export class NodeGraph {
  readonly #reached = new Map<string, Map<string, number>>();
  readonly #volumesOfSecret = new Map<string, Set<string>>();
  readonly #pods: ObjectMirror<PodEntry>;
  readonly #volumes: ObjectMirror<VolumeEntry>;
  /** Names of objects to the node that they are about. */
  readonly #attachments: ObjectMirror<string> | undefined;
  readonly #slices: ObjectMirror<string> | undefined;
  readonly #certificateRequests: ObjectMirror<string> | undefined;

  constructor(names: Names, catalog: Catalog, log: Log) {
    const warn = (message: string, error: unknown) => log.warn({ err: error }, message);
    const storeOf = (group: string, resource: string, version = "v1") => catalog.own(group, version, resource)?.store;
    this.#pods = new ObjectMirror<PodEntry>(storeOf("", "pods")!, {
      log: warn,
      project: (pod) => podEntry(pod, names.mirrorPodAnnotation),
      onChange: (_key, now, before) => {
        // Added first: what both need is not lost for a moment.
        if (now !== undefined) this.#count(now, 1);
        if (before !== undefined) this.#count(before, -1);
      },
    });
    this.#volumes = new ObjectMirror<VolumeEntry>(storeOf("", "persistentvolumes")!, {
      log: warn,
      project: volumeEntry,
      onChange: (_key, now, before) => this.#setVolume(now, before),
    });
    const nodeNames = (group: string, resource: string, version?: string) => {
      const store = storeOf(group, resource, version);
      return store === undefined ? undefined : new ObjectMirror<string>(store, { log: warn, project: nodeNameOf });
    };
    this.#attachments = nodeNames(names.group("storage"), "volumeattachments");
    this.#slices = nodeNames(names.group("resource"), "resourceslices");
    this.#certificateRequests = nodeNames(names.group("certificates"), "podcertificaterequests", "v1alpha1");
  }

  async ready(): Promise<void> {
    await Promise.all(this.#mirrors().map((mirror) => mirror.ready()));
  }

  close(): void {
    for (const mirror of this.#mirrors()) mirror.close();
  }

  /** Whether the pod is bound to the node. */
  hasPod(node: string, namespace: string, name: string): boolean {
    return this.#pods.get(namespace, name)?.node === node;
  }

  /** Whether a pod on the node needs the object, directly or through its volumes. */
  reaches(node: string, kind: ReferenceKind, namespace: string, name: string): boolean {
    const key = `${namespace}/${name}`;
    const reached = this.#reached.get(node);
    if (reached === undefined) return false;
    if (reached.has(`${kind} ${key}`)) return true;
    if (kind !== "secret") return false;
    for (const volume of this.#volumesOfSecret.get(key) ?? []) if (this.reachesVolume(node, volume)) return true;
    return false;
  }

  reachesVolume(node: string, volume: string): boolean {
    const entry = this.#volumes.get("", volume);
    return entry !== undefined && (this.#reached.get(node)?.has(`persistentvolumeclaim ${entry.claim}`) ?? false);
  }

  ownsAttachment(node: string, name: string): boolean {
    return this.#attachments?.get("", name) === node;
  }

  ownsSlice(node: string, name: string): boolean {
    return this.#slices?.get("", name) === node;
  }

  /** Whether the node has asked for a certificate of one of its pods by it. */
  requestedCertificate(node: string, namespace: string, name: string): boolean {
    return this.#certificateRequests?.get(namespace, name) === node;
  }

  #mirrors(): Pick<ObjectMirror, "ready" | "close">[] {
    const named = [this.#attachments, this.#slices, this.#certificateRequests];
    return [this.#pods, this.#volumes, ...named.filter((mirror) => mirror !== undefined)];
  }

  #count({ node, needs }: PodEntry, by: 1 | -1): void {
    const reached = this.#reached.get(node) ?? new Map<string, number>();
    for (const key of needs) {
      const count = (reached.get(key) ?? 0) + by;
      if (count > 0) reached.set(key, count);
      else reached.delete(key);
    }
    if (reached.size > 0) this.#reached.set(node, reached);
    else this.#reached.delete(node);
  }

  #setVolume(now: VolumeEntry | undefined, before: VolumeEntry | undefined): void {
    for (const secret of before?.secrets ?? []) {
      const volumes = this.#volumesOfSecret.get(secret);
      volumes?.delete(before!.name);
      if (volumes?.size === 0) this.#volumesOfSecret.delete(secret);
    }
    for (const secret of now?.secrets ?? []) {
      const volumes = this.#volumesOfSecret.get(secret) ?? new Set<string>();
      volumes.add(now!.name);
      this.#volumesOfSecret.set(secret, volumes);
    }
  }
}

function podEntry(pod: ApiObject, mirrorAnnotation: string): PodEntry | undefined {
  const node = nodeNameOf(pod);
  if (node === undefined) return undefined;
  const namespace = pod.metadata.namespace ?? "";
  const needs = podReferences(pod, mirrorAnnotation).map(({ kind, name }) => `${kind} ${namespace}/${name}`);
  return { node, needs: [...new Set(needs)] };
}

function volumeEntry(volume: ApiObject): VolumeEntry | undefined {
  const { claimRef } = (volume["spec"] ?? {}) as { claimRef?: { namespace?: string; name?: string } | null };
  if (claimRef === undefined || claimRef === null) return undefined;
  return {
    name: volume.metadata.name ?? "",
    claim: `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`,
    secrets: [...new Set(volumeSecrets(volume).map(({ namespace, name }) => `${namespace}/${name}`))],
  };
}

function nodeNameOf(object: ApiObject): string | undefined {
  const { nodeName } = (object["spec"] ?? {}) as { nodeName?: string };
  return nodeName === undefined || nodeName === "" ? undefined : nodeName;
}
