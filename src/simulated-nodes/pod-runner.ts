// Runs the pods of simulated nodes: sees what is bound to them, does what the rule says, at the time it says. One informer, one
// queue and with it one timer for all.

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { isApiError } from "../client/api-error.ts";
import { kinds } from "../client/built-in-kinds.ts";
import { type Informer, keyOf, keyText, type Stored } from "../client/informer.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import { WorkQueue } from "../client/work-queue.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { PodRoom } from "./pod-room.ts";
import { isEnded, nextPodStep } from "./pod-rule.ts";
import { nodeAddress, numberOfNode } from "./simulated-node.ts";

interface PodRunnerParts {
  /** How many nodes there are, numbered from 1. */
  readonly count: number;
  /** Follows the pods of all nodes. */
  readonly reader: ResourceClient;
  /** Writes as a node. */
  readonly clientFor: (node: string) => ResourceClient;
  /** What pods may have of a node, by resource. */
  readonly allocatableOf: (node: string) => Readonly<Record<string, string>> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** More would only keep others from the server that they all ask. */
const WORKERS = 16;
/** More pods than this that have not been taken yet: only those are told of that run. */
const MANY_STARTING = 64;
const { pods: podKind } = kinds.core.v1;

export class PodRunner {
  readonly #parts: PodRunnerParts;
  readonly #pods: Informer<Pod>;
  readonly #queue: WorkQueue;
  readonly #room: PodRoom;
  readonly #addresses = new PodAddresses();
  /** By uid, for pods that came or got further in this process. */
  readonly #sinceMs = new Map<string, number>();
  /** Uids of pods of which their nodes have said nothing yet. */
  readonly #starting = new Set<string>();
  #workers: Promise<unknown> = Promise.resolve();

  constructor(parts: PodRunnerParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue({
      clock: parts.clock,
      backoff: { firstMs: 100, maxMs: 30_000 },
      retries: { perSecond: 200, burst: 1_000 },
    });
    // All pods, as others of this process follow them: a selector's own view of a change would have to be read anew.
    this.#pods = parts.reader.informer(podKind, {
      withoutManagedFields: true,
      onError: (error) => parts.log.debug({ err: error }, "the pods of simulated nodes were lost, trying again"),
    });
    this.#room = new PodRoom(this.#pods, parts.allocatableOf);
    const look = (pod: Stored<Pod>): void => this.#look(pod);
    this.#pods.addHandlers({ added: look, updated: look, deleted: (pod) => this.#forget(pod) });
  }

  /** Resolves once all pods are known; addresses that pods have are theirs before others get any. */
  async start(): Promise<void> {
    this.#pods.start();
    await this.#pods.whenSynced();
    this.#workers = Promise.all(Array.from({ length: WORKERS }, () => this.#work()));
  }

  async stop(): Promise<void> {
    this.#queue.close();
    await this.#pods.stop();
    await this.#workers;
  }

  #look(pod: Stored<Pod>): void {
    const number = numberOfNode(pod.spec.nodeName);
    if (number === undefined || number > this.#parts.count) return;
    const { uid } = pod.metadata;
    if (isEnded(pod)) this.#forget(pod);
    else if (pod.status.podIP) this.#addresses.restore(uid, pod.status.podIP);
    else if (!this.#sinceMs.has(uid)) this.#sinceMs.set(uid, this.#parts.clock.nowMs());
    for (const key of this.#room.look(pod)) this.#queue.add(key);
    if (isEnded(pod) || pod.status.startTime) this.#starting.delete(uid);
    else this.#starting.add(uid);
    this.#queue.add(keyText(keyOf(pod)));
  }

  #forget(pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    for (const key of this.#room.leave(pod)) this.#queue.add(key);
    this.#addresses.release(uid);
    this.#sinceMs.delete(uid);
    this.#starting.delete(uid);
  }

  async #work(): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      try {
        const pod = this.#pods.cache.get(key);
        if (pod !== undefined) await this.#step(key, pod);
        this.#queue.forget(key);
      } catch (error) {
        // After a conflict the newer pod is on its way; should it not come, the step is tried again all the same.
        if (!isApiError(error, "NotFound")) {
          this.#parts.log.debug(
            { err: error, pod: key },
            "a simulated node could not write about its pod, trying again",
          );
          this.#queue.addRateLimited(key);
        }
      } finally {
        this.#queue.done(key);
      }
    }
  }

  async #step(key: string, pod: Stored<Pod>): Promise<void> {
    const { clock, clientFor } = this.#parts;
    const { name, namespace, uid, resourceVersion } = pod.metadata;
    const nowMs = clock.nowMs();
    const step = nextPodStep(pod, {
      nowMs,
      sinceMs: this.#sinceMs.get(uid),
      isBusy: this.#starting.size > MANY_STARTING,
      hostIP: nodeAddress(numberOfNode(pod.spec.nodeName) ?? 0),
      podIP: isEnded(pod) ? "" : this.#addresses.of(uid),
      resizeProblem: () => this.#room.resizeProblem(pod),
    });
    const pods = () => clientFor(pod.spec.nodeName ?? "").resource(podKind, namespace);
    switch (step.type) {
      case "nothing":
        return;
      case "wait":
        this.#queue.addAfter(key, Math.max(1, step.untilMs - nowMs));
        return;
      case "remove":
        await pods().delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
        return;
      case "report":
        if (step.begins) this.#sinceMs.set(uid, nowMs);
        await pods().status.patch(
          name,
          { merge: { metadata: { uid, resourceVersion }, status: step.status } },
          { answer: "unread" },
        );
    }
  }
}
