// Gives a pod that the node takes the processors, memory and devices that it has for itself, all of them near each other
// where the policy of the node asks for that: upstream's topology manager with its scopes.

import { StartError } from "../../base/start-error.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import type { TopologyPolicy } from "../config/topology-policies.ts";
import { AdmissionError } from "./admission-error.ts";
import { mergeHints, type NumaDistances, type NumaHints } from "./merge-hints.ts";
import { canLookAt, type NumaMask } from "./numa-mask.ts";

/** A resource that single containers have for themselves. */
export interface AlignedResource {
  /** Where it could be had for one container, or for the whole pod; empty where nothing is asked for. */
  hints(pod: Pod, container: Container | undefined): NumaHints;
  /** Gives the container its part, near `mask` as far as that goes; once for each container. Fails with the reason. */
  allocate(pod: Pod, container: Container, mask: NumaMask | undefined): void;
  /** Gives back what the pod gets from now on. */
  undoFor(podUid: string): () => void;
  /** The pods that have some of it. */
  holders(): readonly string[];
  /** Others may have what the pod has. */
  release(podUid: string): void;
}

interface PodTopologyOptions {
  readonly config: Pick<
    NodeAgentConfiguration,
    "topologyManagerPolicy" | "topologyManagerScope" | "topologyManagerPolicyOptions"
  >;
  readonly numa: () => Promise<NumaDistances>;
  readonly resources: readonly AlignedResource[];
  /** Whether a pod was put where its resources are near each other, and how long that took. */
  readonly onDecision: (isAdmitted: boolean, tookMs: number) => void;
}

const DEFAULT_MAX_NODES = 8;

export class PodTopology {
  readonly #options: PodTopologyOptions;
  readonly #policy: TopologyPolicy;
  #numa: NumaDistances = { nodes: [], distance: () => 0 };

  constructor(options: PodTopologyOptions) {
    this.#options = options;
    // Checked with the configuration.
    this.#policy = options.config.topologyManagerPolicy as TopologyPolicy;
  }

  /** Fails with StartError where the machine has more nodes than may be looked at. */
  async start(): Promise<void> {
    this.#numa = await this.#options.numa();
    if (this.#policy === "none") return;
    const { nodes } = this.#numa;
    const most = Number(
      this.#options.config.topologyManagerPolicyOptions["max-allowable-numa-nodes"] ?? DEFAULT_MAX_NODES,
    );
    if (nodes.length > most || !canLookAt(nodes))
      throw new StartError(
        `topologyManagerPolicy: unsupported on machines with more than ${most} NUMA Nodes (max-allowable-numa-nodes)`,
      );
  }

  /** Fails with AdmissionError; then the pod has nothing more than before. */
  admit(pod: Pod): void {
    const { resources, onDecision } = this.#options;
    const startedMs = performance.now();
    const undo = resources.map((each) => each.undoFor(pod.metadata.uid ?? ""));
    try {
      this.#place(pod);
      if (this.#policy !== "none") onDecision(true, performance.now() - startedMs);
    } catch (error) {
      for (const each of undo) each();
      if (this.#policy !== "none") onDecision(false, performance.now() - startedMs);
      throw error;
    }
  }

  /** Takes away what pods have that nobody wants; says whether there were any. */
  takeBack(isWanted: (podUid: string) => boolean): boolean {
    let tookAny = false;
    for (const resource of this.#options.resources)
      for (const uid of resource.holders())
        if (!isWanted(uid)) {
          resource.release(uid);
          tookAny = true;
        }
    return tookAny;
  }

  #place(pod: Pod): void {
    const isOfPod = this.#options.config.topologyManagerScope === "pod";
    const shared = isOfPod ? this.#maskFor(pod, undefined) : undefined;
    for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]) {
      const mask = isOfPod ? shared : this.#maskFor(pod, container);
      for (const resource of this.#options.resources) {
        try {
          resource.allocate(pod, container, mask);
        } catch (error) {
          if (error instanceof AdmissionError) throw error;
          const why = error instanceof Error ? error.message : String(error);
          throw new AdmissionError("UnexpectedAdmissionError", `Allocate failed due to ${why}, which is unexpected`);
        }
      }
    }
  }

  #maskFor(pod: Pod, container: Container | undefined): NumaMask | undefined {
    if (this.#policy === "none") return undefined;
    const { resources, config } = this.#options;
    const { hint, isAdmitted } = mergeHints(
      resources.map((each) => each.hints(pod, container)),
      {
        policy: this.#policy,
        numa: this.#numa,
        prefersClosest: config.topologyManagerPolicyOptions["prefer-closest-numa-nodes"] === "true",
      },
    );
    if (!isAdmitted)
      throw new AdmissionError("TopologyAffinityError", "Resources cannot be allocated with Topology locality");
    return hint.mask;
  }
}
