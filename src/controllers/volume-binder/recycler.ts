// Has volumes emptied by pods: makes the pod, sees what comes of it, takes it away.

import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { Volume } from "./match-volume.ts";
import { RECYCLER_NAMESPACE, recyclerPodName } from "./recycler-pod.ts";

type RecyclingOutcome =
  | { readonly type: "under way" }
  | { readonly type: "emptied" }
  | { readonly type: "failed"; readonly why: string };

export class Recycler {
  readonly #client: Client;
  readonly #pods: Informer<Pod>;
  /** Uids of pods made here, by volume. A pod of the right name that is not among them may be anybody's, and must go. */
  readonly #made = new Map<string, string>();

  constructor(client: Client, pods: Informer<Pod>) {
    this.#client = client;
    this.#pods = pods;
  }

  /** One step further. Every change of the pod is a reason to call it again. */
  async proceed({ metadata: { name: volume } }: Volume, pod: Draft<Pod>): Promise<RecyclingOutcome> {
    const made = this.#made.get(volume);
    const known = await this.#find(volume, made);
    if (known === undefined) {
      if (made === undefined) return this.#begin(volume, pod);
      this.#made.delete(volume);
      return failed("failed to recycle volume: recycler pod was deleted");
    }
    if (known.metadata.uid !== made) return this.#refuseOld(volume);
    const { phase, message } = known.status;
    if (phase !== "Succeeded" && phase !== "Failed") return { type: "under way" };
    this.#made.delete(volume);
    await this.#remove(volume);
    if (phase === "Succeeded") return { type: "emptied" };
    return failed(`failed to recycle volume: ${message || "pod failed, pod.Status.Message unknown"}`);
  }

  async #begin(volume: string, pod: Draft<Pod>): Promise<RecyclingOutcome> {
    try {
      const { metadata } = await this.#client.core.v1.pods(RECYCLER_NAMESPACE).create(pod);
      this.#made.set(volume, metadata.uid);
      return { type: "under way" };
    } catch (error) {
      if (isApiError(error, "AlreadyExists")) return this.#refuseOld(volume);
      return failed(`unexpected error creating recycler pod:  ${error instanceof Error ? error.message : error}`);
    }
  }

  async #refuseOld(volume: string): Promise<RecyclingOutcome> {
    await this.#remove(volume);
    return failed("old recycler pod found, will retry later");
  }

  /** The cache may not know yet what was made a moment ago. */
  async #find(volume: string, made: string | undefined): Promise<Stored<Pod> | undefined> {
    const name = recyclerPodName(volume);
    const known = this.#pods.cache.get({ namespace: RECYCLER_NAMESPACE, name });
    if (known?.metadata.uid === made) return known;
    return made === undefined ? known : this.#client.core.v1.pods(RECYCLER_NAMESPACE).find(name);
  }

  async #remove(volume: string): Promise<void> {
    try {
      await this.#client.core.v1.pods(RECYCLER_NAMESPACE).delete(recyclerPodName(volume));
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
  }
}

const failed = (why: string): RecyclingOutcome => ({ type: "failed", why });
