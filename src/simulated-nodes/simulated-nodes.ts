// Simulated nodes: registers them, keeps them alive, runs their pods.

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { isApiError } from "../client/api-error.ts";
import { kinds } from "../client/built-in-kinds.ts";
import type { Informer, Stored } from "../client/informer.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import type { Node } from "../kinds/core/node.ts";
import { Heartbeats } from "./heartbeats.ts";
import { PodRunner } from "./pod-runner.ts";
import {
  allocatableChanges,
  changedCapacity,
  isFresh,
  isReady,
  nodeConditions,
  nodeLease,
  simulatedNode,
  simulatedNodeName,
} from "./simulated-node.ts";

interface SimulatedNodesParts {
  readonly count: number;
  /** By resource, of each node. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Follows nodes and pods for all. */
  readonly reader: ResourceClient;
  /** Acts as a node: `system:node:<name>`. */
  readonly clientFor: (node: string) => ResourceClient;
  readonly clock: Clock;
  readonly log: Log;
}

/** A quarter of a lease's time; of many nodes up to half of it, so that they do not ask for more than they must. */
const [RENEW_EVERY_MS, MAX_RENEW_EVERY_MS] = [10_000, 20_000];
const RENEWALS_PER_SECOND = 250;
/** Registrations side by side. */
const AT_ONCE = 32;

interface KnownLease {
  readonly resourceVersion: string;
}

export class SimulatedNodes {
  readonly #parts: SimulatedNodesParts;
  readonly #nodes: Informer<Node>;
  readonly #pods: PodRunner;
  readonly #heartbeats: Heartbeats;
  /** As they were written last. */
  readonly #leases = new Map<number, KnownLease>();
  readonly #clients = new Map<string, ResourceClient>();
  /** Resources whose capacity others have changed, by node, until pods may have them. */
  readonly #changed = new Map<string, readonly string[]>();
  #stopped = false;

  constructor(parts: SimulatedNodesParts) {
    this.#parts = parts;
    const { count, reader, clock, log } = parts;
    this.#nodes = reader.informer(kinds.core.v1.nodes, {
      withoutManagedFields: true,
      onError: (error) => log.debug({ err: error }, "the simulated nodes were lost, trying again"),
    });
    this.#nodes.addHandlers({
      updated: (node, old) => this.#noteCapacity(node, old),
      deleted: ({ metadata }) => void this.#changed.delete(metadata.name),
    });
    this.#pods = new PodRunner({
      count,
      reader,
      clientFor: (node) => this.#clientFor(node),
      allocatableOf: (node) => this.#nodes.cache.get(node)?.status.allocatable,
      clock,
      log,
    });
    this.#heartbeats = new Heartbeats({
      count,
      periodMs: Math.min(Math.max(RENEW_EVERY_MS, (count / RENEWALS_PER_SECOND) * 1_000), MAX_RENEW_EVERY_MS),
      clock,
      beat: (number) => this.#beat(number),
      onError: (error, number) =>
        log.debug({ err: error, node: simulatedNodeName(number) }, "a simulated node could not renew its lease"),
    });
  }

  /** Resolves when all nodes are registered and their pods run. */
  async start(): Promise<void> {
    this.#nodes.start();
    await this.#nodes.whenSynced();
    await this.#pods.start();
    if (this.#stopped) return;
    // Before the last of many nodes is there, the first would be taken for dead.
    this.#heartbeats.start();
    await this.#registerAll();
  }

  /** The nodes stay in the API, and fall silent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#heartbeats.stop();
    await this.#pods.stop();
    await this.#nodes.stop();
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }

  async #registerAll(): Promise<void> {
    const { count, log } = this.#parts;
    let next = 1;
    const register = async (): Promise<void> => {
      while (next <= count && !this.#stopped) {
        const number = next++;
        try {
          await this.#register(number);
        } catch (error) {
          log.warn({ err: error, node: simulatedNodeName(number) }, "a simulated node could not be registered");
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, register));
  }

  async #register(number: number): Promise<void> {
    const { capacity, clock } = this.#parts;
    const name = simulatedNodeName(number);
    const client = this.#clientFor(name);
    const known = this.#nodes.cache.get(name);
    if (known === undefined) {
      const node = simulatedNode(number, { names: client.names, capacity, nowMs: clock.nowMs() });
      const { metadata } = await client.resource(kinds.core.v1.nodes).create(node);
      const isAlive = await this.#writeLease(number, metadata.uid, undefined);
      // One that is there already was left by a node of this name.
      if (!isAlive) await this.#renew(number, metadata.uid);
    } else {
      await this.#report(known);
      if (!(await this.#isAlive(number, known.metadata.uid))) await this.#renew(number, known.metadata.uid);
    }
  }

  /** Whether it has just been heard of: its next turn is soon enough. */
  async #isAlive(number: number, uid: string): Promise<boolean> {
    const lease = await this.#leasesFor(number).find(simulatedNodeName(number));
    if (lease === undefined) return false;
    this.#leases.set(number, { resourceVersion: lease.metadata.resourceVersion });
    return isFresh(lease, uid, this.#parts.clock.nowMs());
  }

  /** A node that somebody has deleted stays away, as a real one does until its agent starts anew. */
  async #beat(number: number): Promise<void> {
    const node = this.#nodes.cache.get(simulatedNodeName(number));
    if (node === undefined) return;
    await this.#report(node);
    await this.#renew(number, node.metadata.uid);
  }

  #noteCapacity(node: Stored<Node>, old: Stored<Node>): void {
    const changed = changedCapacity(node, old);
    const { name } = node.metadata;
    if (changed.length > 0) this.#changed.set(name, [...new Set([...(this.#changed.get(name) ?? []), ...changed])]);
  }

  /** After a silence others have said that nothing is known of the node; and they may have given it resources. */
  async #report(node: Stored<Node>): Promise<void> {
    const { name } = node.metadata;
    const client = this.#clientFor(name);
    const changed = this.#changed.get(name);
    const allocatable = allocatableChanges(node, changed ?? [], client.names);
    if (isReady(node) && allocatable === undefined) return;
    const status = {
      ...(isReady(node) ? {} : { conditions: nodeConditions(this.#parts.clock.nowMs()) }),
      ...(allocatable === undefined ? {} : { allocatable }),
    };
    await client.resource(kinds.core.v1.nodes).status.patch(name, { strategic: { status } });
    // What has changed meanwhile has a list of its own.
    if (this.#changed.get(name) === changed) this.#changed.delete(name);
  }

  async #renew(number: number, uid: string): Promise<void> {
    const known = this.#leases.get(number) ?? (await this.#leasesFor(number).find(simulatedNodeName(number)))?.metadata;
    await this.#writeLease(number, uid, known);
  }

  /** False when somebody else has made, changed or deleted it: it is read anew next time. */
  async #writeLease(number: number, uid: string, known: KnownLease | undefined): Promise<boolean> {
    const leases = this.#leasesFor(number);
    const lease = nodeLease({ name: simulatedNodeName(number), uid }, this.#parts.clock.nowMs());
    try {
      const { metadata } =
        known === undefined
          ? await leases.create(lease)
          : await leases.update({ ...lease, metadata: { ...lease.metadata, resourceVersion: known.resourceVersion } });
      this.#leases.set(number, { resourceVersion: metadata.resourceVersion });
      return true;
    } catch (error) {
      this.#leases.delete(number);
      if (!isApiError(error, "Conflict", "NotFound", "AlreadyExists")) throw error;
      return false;
    }
  }

  #leasesFor(number: number) {
    const client = this.#clientFor(simulatedNodeName(number));
    return client.resource(kinds.coordination.v1.leases, client.names.nodeLeaseNamespace);
  }

  #clientFor(node: string): ResourceClient {
    let client = this.#clients.get(node);
    if (client === undefined) {
      client = this.#parts.clientFor(node);
      this.#clients.set(node, client);
    }
    return client;
  }
}
