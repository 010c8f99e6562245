// The node's Lease: its heartbeat. Renewed four times within its duration; a failed write is tried again after 200 ms, then
// after twice as long each time, at most 7 s. Requirements: document 3, "States and transitions" (node heartbeats), "Limits".

import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import { cloneJson } from "../../base/json.ts";
import type { Client } from "../../client/client.ts";
import type { Lease } from "../../kinds/coordination/lease.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { ObjectMeta, OwnerReference } from "../../meta/object.ts";
import { timeOfMs } from "../../meta/time.ts";

interface NodeLeaseOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly nodeName: string;
  readonly durationSeconds: number;
  /** The Node, which owns the Lease: it goes with the Node. */
  readonly node: () => Node | undefined;
  readonly onError: (error: unknown) => void;
}

const RETRY_MS = { first: 200, max: 7_000 };
/** Of the duration: how often the lease is renewed. */
const RENEW_SHARE = 0.25;
/** A write that hangs must not outlast the lease. */
const WRITE_TIMEOUT_MS = 10_000;

export class NodeLease {
  readonly #options: NodeLeaseOptions;
  readonly #loop: BackgroundLoop;
  /** As it was last written; undefined when the next attempt must look first. */
  #known: (Lease & { metadata: ObjectMeta }) | undefined;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    const { clock, durationSeconds, onError } = options;
    this.#loop = new BackgroundLoop({
      clock,
      everyMs: durationSeconds * 1_000 * RENEW_SHARE,
      retryMs: RETRY_MS,
      onError,
      reconcile: async (_key, signal) => {
        await this.#renew(signal);
        return "done";
      },
    });
  }

  start(): void {
    this.#loop.enqueue();
  }

  stop(): void {
    this.#loop.close();
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { client, clock, nodeName } = this.#options;
    const leases = client.coordination.v1.leases(client.names.nodeLeaseNamespace);
    const options = { signal: AbortSignal.any([signal, clock.timeoutSignal(WRITE_TIMEOUT_MS)]) };
    const known = this.#known ?? (await leases.find(nodeName, options));
    // After a failure it is not known what the server has: the next attempt looks.
    this.#known = undefined;
    const next = this.#renewed(known);
    this.#known = known === undefined ? await leases.create(next, options) : await leases.update(next, options);
  }

  #renewed(known: (Lease & { metadata: ObjectMeta }) | undefined): Lease & { metadata: ObjectMeta } {
    const { clock, nodeName, durationSeconds, node } = this.#options;
    const lease = known === undefined ? undefined : cloneJson(known);
    const owner = ownerOf(node());
    return {
      ...lease,
      metadata: {
        ...(lease?.metadata ?? { name: nodeName }),
        ...(owner === undefined || lease?.metadata.ownerReferences?.length ? {} : { ownerReferences: [owner] }),
      },
      spec: {
        ...lease?.spec,
        holderIdentity: nodeName,
        leaseDurationSeconds: durationSeconds,
        renewTime: timeOfMs(clock.nowMs(), "micros"),
      },
    } as Lease & { metadata: ObjectMeta };
  }
}

function ownerOf(node: Node | undefined): OwnerReference | undefined {
  const { name, uid } = node?.metadata ?? {};
  if (name === undefined || uid === undefined) return undefined;
  return { apiVersion: "v1", kind: "Node", name, uid };
}
