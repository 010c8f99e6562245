// How many pods the controllers of some pods want to have together.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Informer, ObjectReader, Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type OwnerReference, parseApiVersion } from "../../meta/object.ts";
import type { ControllerContext } from "../framework/controller.ts";
import { controllerOf, type Owner } from "../pods-of-owner/claim-objects.ts";
import { ScaleTargets } from "../scale-target/scale-targets.ts";

type Scaled = Owner & { readonly spec: { readonly replicas?: number } };

/** The part of an informer that is asked for. */
interface Followed {
  readonly type: Informer<Scaled>["type"];
  readonly cache: Pick<ObjectReader<Scaled>, "get">;
}

interface ExpectedScale {
  readonly scale: number;
  /** Pods that nobody controls. */
  readonly unmanaged: readonly string[];
}

export class ControllerScales {
  readonly #followed: readonly Followed[];
  readonly #targets: ScaleTargets;

  constructor(context: ControllerContext) {
    const { informers } = context;
    this.#targets = new ScaleTargets(context);
    this.#followed = [
      informers.of(kinds.apps.v1.deployments),
      informers.of(kinds.apps.v1.replicaSets),
      informers.of(kinds.apps.v1.statefulSets),
      informers.of(kinds.core.v1.replicationControllers),
    ];
  }

  /** Fails when the controller of a pod is gone, or does not scale. */
  async of(pods: readonly Stored<Pod>[]): Promise<ExpectedScale> {
    const unmanaged: string[] = [];
    const scales = new Map<string, number>();
    const seen = new Set<string>();
    for (const pod of pods) {
      const reference = controllerOf(pod);
      if (reference === undefined) {
        unmanaged.push(pod.metadata.name);
        continue;
      }
      if (seen.has(reference.uid)) continue;
      seen.add(reference.uid);
      const found = await this.#scaleOf(reference, pod.metadata.namespace ?? "");
      if (found === undefined) throw new Error(`found no controllers for pod "${pod.metadata.name}"`);
      scales.set(found.uid, found.replicas);
    }
    return { scale: [...scales.values()].reduce((sum, each) => sum + each, 0), unmanaged };
  }

  async #scaleOf(reference: OwnerReference, namespace: string): Promise<{ uid: string; replicas: number } | undefined> {
    const found = this.#inCaches(reference, namespace);
    const above = found === undefined ? undefined : controllerOf(found);
    // Of a rollout only the whole is known to stay: its sets come and go.
    const whole = above?.kind === "Deployment" ? this.#inCaches(above, namespace) : found;
    if (whole !== undefined) return { uid: whole.metadata.uid, replicas: whole.spec.replicas ?? 1 };
    return this.#asked(reference, namespace);
  }

  #inCaches({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Stored<Scaled> | undefined {
    const group = parseApiVersion(apiVersion)?.group;
    const followed = this.#followed.find(({ type }) => type.kind === kind && type.group === group);
    const object = followed?.cache.get({ namespace, name });
    return object?.metadata.uid === uid ? object : undefined;
  }

  async #asked(reference: OwnerReference, namespace: string): Promise<{ uid: string; replicas: number } | undefined> {
    const { apiVersion, kind, name, uid } = reference;
    const resource = await this.#targets.find(reference);
    if (resource === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
    try {
      const scale = await this.#targets.scaleOf(resource, namespace).get(name);
      return scale.metadata.uid === uid ? { uid, replicas: scale.spec.replicas ?? 0 } : undefined;
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
      // An object that is not there is named; where none is, the path itself leads nowhere.
      if (error.status.details?.name !== undefined) return undefined;
      const { group, resource: plural } = resource;
      const words = `${group === "" ? plural : `${plural}.${group}`} does not implement the scale subresource`;
      throw new Error(words, { cause: error });
    }
  }
}
