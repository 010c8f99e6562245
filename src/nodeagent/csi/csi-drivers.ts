// The storage drivers that have registered on this node, and the objects of the API that tell of them: the CSINode, and
// labels and annotation of the Node.

import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import type { Node } from "../../kinds/core/node.ts";
import { CsiDriver } from "./csi-driver.ts";
import type { NodeInfo } from "./csi-messages.ts";

interface CsiDriversOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeName: string;
  /** The Node, once it is registered. */
  readonly node: () => Node | undefined;
}

interface Registered {
  readonly driver: CsiDriver;
  readonly info: NodeInfo;
}

/** The Node may not be registered yet. */
const SOON_MS = 500;

export class CsiDrivers {
  readonly #options: CsiDriversOptions;
  readonly #drivers = new Map<string, Registered>();
  readonly #telling: BackgroundLoop;

  constructor(options: CsiDriversOptions) {
    this.#options = options;
    this.#telling = new BackgroundLoop({
      clock: options.clock,
      reconcile: () => this.#tell(),
      onError: (error) => options.log.warn({ err: error }, "the API cannot be told of storage drivers; trying again"),
    });
  }

  /** Fails with the reason why the driver is not taken. */
  async register(found: {
    readonly name: string;
    readonly supportedVersions: readonly string[];
    readonly socketPath: string;
  }): Promise<void> {
    const { name, supportedVersions, socketPath } = found;
    if (!supportedVersions.some((version) => /^v?1(\.|$)/.test(version)))
      throw new Error(`no supported version of the driver: it has [${supportedVersions.join(" ")}], wanted is 1.x`);
    const driver = new CsiDriver(name, { socketPath, clock: this.#options.clock });
    try {
      const info = await driver.info();
      if (info.nodeId === "") throw new Error("the driver gives the node no id");
      this.#drivers.get(name)?.driver.close();
      this.#drivers.set(name, { driver, info });
    } catch (error) {
      driver.close();
      throw error;
    }
    this.#telling.enqueue();
    this.#options.log.info({ driver: name, socketPath }, "a storage driver has registered");
  }

  unregister(name: string): void {
    this.#drivers.get(name)?.driver.close();
    if (this.#drivers.delete(name)) this.#telling.enqueue();
  }

  /** Fails where it is not on this node. */
  driver(name: string): CsiDriver {
    const found = this.#drivers.get(name);
    if (found === undefined) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
    return found.driver;
  }

  close(): void {
    this.#telling.close();
    for (const { driver } of this.#drivers.values()) driver.close();
  }

  async #tell(): Promise<Outcome> {
    const node = this.#options.node();
    if (node === undefined) return { againInMs: SOON_MS };
    await this.#tellNode(node);
    await this.#tellDrivers(node);
    return "done";
  }

  /** What scheduler and controllers find volumes by. */
  async #tellNode({ metadata }: Node): Promise<void> {
    const { client, nodeName } = this.#options;
    const ids = Object.fromEntries([...this.#drivers].map(([name, { info }]) => [name, info.nodeId]));
    const labels: Record<string, string> = {};
    for (const { info } of this.#drivers.values()) Object.assign(labels, info.accessibleTopology?.segments);
    const annotation = this.#drivers.size === 0 ? null : JSON.stringify(ids);
    const key = client.names.csiNodeIdAnnotation;
    const isTold =
      (metadata.annotations?.[key] ?? null) === annotation &&
      Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value);
    if (isTold) return;
    const patch = { metadata: { annotations: { [key]: annotation }, labels } };
    await client.core.v1.nodes().patch(nodeName, { merge: patch });
  }

  async #tellDrivers(node: Node): Promise<void> {
    const { client, nodeName } = this.#options;
    const objects = client.storage.v1.csiNodes();
    const drivers = [...this.#drivers].map(([name, { info }]) => ({
      name,
      nodeID: info.nodeId,
      topologyKeys: Object.keys(info.accessibleTopology?.segments ?? {}).sort(),
      ...(info.maxVolumesPerNode > 0 ? { allocatable: { count: info.maxVolumesPerNode } } : {}),
    }));
    const known = await objects.find(nodeName);
    if (known !== undefined) {
      await objects.update({ ...known, spec: { drivers } });
      return;
    }
    const owner = { apiVersion: "v1", kind: "Node", name: nodeName, uid: node.metadata.uid ?? "" };
    try {
      await objects.create({ metadata: { name: nodeName, ownerReferences: [owner] }, spec: { drivers } });
    } catch (error) {
      // Somebody was faster: the next round finds it.
      if (!isApiError(error, "AlreadyExists")) throw error;
    }
  }
}
