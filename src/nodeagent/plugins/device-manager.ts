// The devices of plug-ins: counted in the status of the node, and handed to the containers that ask for them.
// Requirements: document 3, "Node-agent local files and sockets" (device plugin registration socket, checkpoint).

import { join } from "node:path";
import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";
import type { NodeContribution, PodDevices } from "../context.ts";
import { GrpcError } from "../grpc/grpc-error.ts";
import { answers, GrpcServer } from "../grpc/grpc-server.ts";
import { readStateFile, writeStateFile } from "../state-file.ts";
import type { NumaHint, NumaHints } from "../topology/merge-hints.ts";
import type { NumaMask } from "../topology/numa-mask.ts";
import type { AlignedResource } from "../topology/pod-topology.ts";
import { chooseDevices, type DeviceChoice, freeDevices } from "./choose-devices.ts";
import { type Allocation, DeviceAllocations } from "./device-allocations.ts";
import { deviceStateText, parseDeviceState } from "./device-checkpoint.ts";
import { deviceHints, nearDevices } from "./device-hints.ts";
import {
  DeviceInventory,
  type DeviceResource,
  healthyDevices,
  unplugged,
  type WantedPlugin,
} from "./device-inventory.ts";
import { type Device, type DeviceAnswer, registerDevices } from "./device-messages.ts";
import { deviceNeeds, endsBeforeOthers, podDeviceNeeds } from "./device-needs.ts";

interface DeviceManagerOptions {
  /** Where the socket and the file lie, and the sockets of plug-ins that register. */
  readonly directory: string;
  readonly names: Names;
  readonly clock: Clock;
  readonly log: Log;
  /** Those of the machine. */
  readonly numaNodes: () => readonly number[];
  /** The number of devices has changed. */
  readonly onChange: () => void;
}

export class DeviceManager implements PodDevices, AlignedResource {
  readonly #options: DeviceManagerOptions;
  readonly #inventory: DeviceInventory;
  readonly #allocations = new DeviceAllocations();
  readonly #checkpoint: BackgroundLoop;
  #server: GrpcServer | undefined;

  constructor(options: DeviceManagerOptions) {
    this.#options = options;
    const { clock, log, directory } = options;
    this.#inventory = new DeviceInventory({ ...options, onPlugin: () => this.#checkpoint.enqueue() });
    const file = join(directory, "nodeagent_internal_checkpoint");
    this.#checkpoint = new BackgroundLoop({
      clock,
      reconcile: async () => {
        await writeStateFile(file, this.#stateText());
        return "done";
      },
      onError: (error) => log.warn({ err: error, file }, "the record of devices cannot be written; trying again"),
    });
  }

  /** Reads what an earlier agent has written, and listens. */
  async start(): Promise<void> {
    const { directory } = this.#options;
    const known = parseDeviceState((await readStateFile(join(directory, "nodeagent_internal_checkpoint"))) ?? "");
    for (const allocation of known.allocations) this.#allocations.set(allocation);
    for (const resource of known.resources.keys()) this.#inventory.expect(resource);
    this.#server = await GrpcServer.listen(join(directory, "nodeagent.sock"), [
      answers(registerDevices, async ({ version, endpoint, resourceName }) => {
        if (endpoint === "" || endpoint.includes("/") || endpoint.includes("\0"))
          throw new GrpcError("InvalidArgument", "the endpoint is not the name of a socket beside this one");
        await this.register({ resource: resourceName, versions: [version], socketPath: join(directory, endpoint) });
        return {};
      }),
    ]);
  }

  async stop(): Promise<void> {
    this.#server?.close();
    this.#inventory.close();
    await this.#checkpoint.idle();
    this.#checkpoint.close();
  }

  /** See DeviceInventory.register. */
  async register(wanted: WantedPlugin): Promise<void> {
    await this.#inventory.register(wanted);
  }

  unregister(resource: string): void {
    this.#inventory.unregister(resource);
  }

  contribution(): NodeContribution {
    return this.#inventory.contribution();
  }

  healthy(): Iterable<readonly [resource: string, devices: readonly Device[]]> {
    return this.#inventory.healthy();
  }

  topologyOf(resource: string, deviceId: string): Device["topology"] {
    return this.#inventory.get(resource)?.devices.find(({ id }) => id === deviceId)?.topology;
  }

  allocationsOf(podUid: string, container: string): readonly Allocation[] {
    return this.#allocations.ofContainer(podUid, container);
  }

  has(resource: string): boolean {
    return this.#inventory.has(resource);
  }

  hints({ metadata, spec }: Pod, container: Container | undefined): NumaHints {
    const podUid = metadata.uid ?? "";
    const isDevice = (name: string) => this.#inventory.has(name);
    const needs = container === undefined ? podDeviceNeeds(spec, isDevice) : deviceNeeds(container, isDevice);
    const hints = new Map<string, readonly NumaHint[] | undefined>();
    for (const [resource, count] of needs) {
      const state = this.#inventory.get(resource) ?? unplugged();
      const known = this.#allocations
        .all()
        .filter((each) => each.podUid === podUid && each.resource === resource)
        .filter((each) => container === undefined || each.container === container.name)
        .flatMap(({ deviceIds }) => deviceIds);
      const { inherited, taken } = this.#allocations.heldFor(podUid, resource);
      const free = freeDevices({ healthy: healthyDevices(state).map(({ id }) => id), taken });
      const wish = known.length > 0 ? { free: known, inherited: [] } : { free, inherited: [...inherited] };
      hints.set(resource, deviceHints(state.devices, { ...wish, count, nodes: this.#options.numaNodes() }));
    }
    return hints;
  }

  /** Sets devices aside before their plug-in is asked, so that no other pod is promised the same. */
  allocate({ metadata, spec }: Pod, container: Container, mask: NumaMask | undefined): void {
    const podUid = metadata.uid ?? "";
    for (const [resource, count] of deviceNeeds(container, (name) => this.#inventory.has(name))) {
      const isInherited = endsBeforeOthers(spec, container.name);
      const known = this.#allocations.find(podUid, container.name, resource);
      if (known !== undefined) {
        this.#allocations.set({ ...known, isInherited });
        continue;
      }
      const state = this.#inventory.get(resource) ?? unplugged();
      const held = this.#allocations.heldFor(podUid, resource);
      const healthy = healthyDevices(state).map(({ id }) => id);
      const deviceIds = chooseDevices({ wanted: count, healthy, ...held, near: nearDevices(state.devices, mask) });
      if (deviceIds === undefined)
        throw new Error(
          `requested number of devices unavailable for ${resource}. Requested: ${count}, Available: ${freeDevices({ healthy, ...held }).length}`,
        );
      this.#allocations.set({
        podUid,
        container: container.name,
        resource,
        deviceIds,
        isInherited,
        mask,
        answer: undefined,
      });
    }
  }

  undoFor(podUid: string): () => void {
    const before = this.#allocations.ofPod(podUid);
    return () => {
      this.#allocations.release(podUid);
      for (const allocation of before) this.#allocations.set(allocation);
    };
  }

  async prepare(pod: Pod, container: Container | EphemeralContainer): Promise<readonly DeviceAnswer[]> {
    const prepared: DeviceAnswer[] = [];
    for (const [resource, count] of deviceNeeds(container, (name) => this.#inventory.has(name))) {
      const given = await this.#allocate(pod, container.name, resource, count);
      await this.#inventory.get(resource)?.plugin?.beforeStart(given.deviceIds);
      if (given.answer !== undefined) prepared.push(given.answer);
    }
    return prepared;
  }

  holders(): readonly string[] {
    return this.#allocations.pods();
  }

  release(podUid: string): void {
    if (this.#allocations.release(podUid)) this.#checkpoint.enqueue();
  }

  async #allocate({ metadata, spec }: Pod, container: string, resource: string, count: number): Promise<Allocation> {
    const podUid = metadata.uid ?? "";
    const known = this.#allocations.find(podUid, container, resource);
    // A container that starts again keeps what it has.
    if (known?.answer !== undefined) return known;
    const state = this.#inventory.get(resource);
    if (state?.plugin === undefined) throw new Error(`the device plug-in of ${resource} is not there`);
    const isInherited = endsBeforeOthers(spec, container);
    const wanted = known ?? { podUid, container, resource, deviceIds: [], isInherited, answer: undefined };
    const chosen = await this.#setAside(state, wanted, count);
    try {
      const allocation = { ...chosen, answer: await state.plugin.allocate(chosen.deviceIds) };
      this.#allocations.set(allocation);
      this.#checkpoint.enqueue();
      return allocation;
    } catch (error) {
      if (known === undefined) this.#allocations.delete(chosen);
      throw error;
    }
  }

  /** As the plug-in prefers, among what was set aside before and what is free. */
  async #setAside(state: DeviceResource, known: Allocation, count: number): Promise<Allocation> {
    const { podUid, resource, container, deviceIds: own, isInherited, mask } = known;
    const healthy = healthyDevices(state).map(({ id }) => id);
    // Later containers of the pod are promised the same ones: the first of them decides nothing.
    if (isInherited && own.length > 0 && own.every((id) => healthy.includes(id))) return known;
    const near = nearDevices(state.devices, mask);
    const choice = () => {
      const { inherited, taken } = this.#allocations.heldFor(podUid, resource, container);
      for (const id of own) taken.delete(id);
      return { wanted: count, healthy, inherited, taken, near };
    };
    const preferred = await this.#preferred(state, choice());
    // Others may have got some while the plug-in was asked.
    const deviceIds = chooseDevices({ ...choice(), preferred });
    if (deviceIds === undefined) throw new Error(`not enough free devices of ${resource}: ${count} are wanted`);
    const chosen = { ...known, deviceIds };
    this.#allocations.set(chosen);
    return chosen;
  }

  /** An opinion that cannot be had is none. */
  async #preferred({ plugin }: DeviceResource, choice: DeviceChoice): Promise<readonly string[]> {
    const { wanted, inherited, near } = choice;
    const all = freeDevices(choice);
    const nearest = all.filter((id) => near?.get(id) === 0);
    const free = nearest.length >= wanted ? nearest : all;
    if (plugin === undefined || free.length <= wanted) return [];
    const own = free.filter((id) => inherited.has(id)).slice(0, wanted);
    return await plugin.preferred(free, own, wanted).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, "a device plug-in does not say which devices it prefers");
      return [];
    });
  }

  #stateText(): string {
    const resources = new Map(
      [...this.#inventory.healthy()].map(([resource, devices]) => [resource, devices.map(({ id }) => id)]),
    );
    const nodesOf = (resource: string, device: string) =>
      (this.#inventory.get(resource)?.devices.find(({ id }) => id === device)?.topology?.nodes ?? []).map(
        ({ id }) => id,
      );
    return deviceStateText({ allocations: this.#allocations.all(), resources }, nodesOf);
  }
}
