// Which container has which devices, and what their plug-in said about them.

import type { NumaMask } from "../topology/numa-mask.ts";
import type { DeviceAnswer } from "./device-messages.ts";

export interface Allocation {
  readonly podUid: string;
  readonly container: string;
  readonly resource: string;
  readonly deviceIds: readonly string[];
  /** Of an init container that ends before the next one starts: later containers of the pod may have them too. */
  readonly isInherited: boolean;
  /** The NUMA nodes that the container was put near. */
  readonly mask?: NumaMask | undefined;
  /** Undefined until the plug-in has answered. */
  readonly answer: DeviceAnswer | undefined;
}

export class DeviceAllocations {
  /** By pod, then by container and resource. */
  readonly #pods = new Map<string, Map<string, Allocation>>();

  find(podUid: string, container: string, resource: string): Allocation | undefined {
    return this.#pods.get(podUid)?.get(keyOf({ container, resource }));
  }

  ofContainer(podUid: string, container: string): Allocation[] {
    return this.ofPod(podUid).filter((each) => each.container === container);
  }

  ofPod(podUid: string): Allocation[] {
    return [...(this.#pods.get(podUid)?.values() ?? [])];
  }

  pods(): string[] {
    return [...this.#pods.keys()];
  }

  all(): Allocation[] {
    return [...this.#pods.values()].flatMap((pod) => [...pod.values()]);
  }

  set(allocation: Allocation): void {
    const pod = this.#pods.get(allocation.podUid) ?? new Map<string, Allocation>();
    this.#pods.set(allocation.podUid, pod.set(keyOf(allocation), allocation));
  }

  delete({ podUid, container, resource }: Allocation): void {
    const pod = this.#pods.get(podUid);
    pod?.delete(keyOf({ container, resource }));
    if (pod?.size === 0) this.#pods.delete(podUid);
  }

  /** Says whether the pod had any. */
  release(podUid: string): boolean {
    return this.#pods.delete(podUid);
  }

  /**
   * The devices that a container of the pod may have from its init containers, and those that it may not have. What
   * `container` has itself is not counted.
   */
  heldFor(
    podUid: string,
    resource: string,
    container?: string,
  ): { readonly inherited: Set<string>; readonly taken: Set<string> } {
    const [inherited, taken] = [new Set<string>(), new Set<string>()];
    for (const each of this.all()) {
      if (each.resource !== resource || (each.podUid === podUid && each.container === container)) continue;
      const group = each.podUid === podUid && each.isInherited ? inherited : taken;
      for (const id of each.deviceIds) group.add(id);
    }
    return { inherited, taken };
  }
}

/** Unambiguous: the name of a container has no slash. */
function keyOf({ container, resource }: Pick<Allocation, "container" | "resource">): string {
  return `${container}/${resource}`;
}
