// The devices of plug-ins: counted in the status of the node, and handed to the containers that ask for them.
// Requirements: document 3, "Node-agent local files and sockets" (device plugin registration socket, checkpoint).

import { join } from "node:path";
import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import { isExtendedResource } from "../../kinds/core/pod/resource-names.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";
import type { NodeContribution, PodDevices } from "../context.ts";
import { GrpcError } from "../grpc/grpc-error.ts";
import { answers, GrpcServer } from "../grpc/grpc-server.ts";
import { chooseDevices, freeDevices } from "./choose-devices.ts";
import { type Allocation, DeviceAllocations } from "./device-allocations.ts";
import { readDeviceCheckpoint, writeDeviceCheckpoint } from "./device-checkpoint.ts";
import { DEVICE_API_VERSION, type Device, type DeviceAnswer, HEALTHY, registerDevices } from "./device-messages.ts";
import { deviceNeeds } from "./device-needs.ts";
import { DevicePlugin } from "./device-plugin.ts";

interface DeviceManagerOptions {
  /** Where the socket and the file lie, and the sockets of plug-ins that register. */
  readonly directory: string;
  readonly names: Names;
  readonly clock: Clock;
  readonly log: Log;
  /** The number of devices has changed. */
  readonly onChange: () => void;
}

/** What is known of one resource. A plug-in that is gone leaves its devices for a while, none of them healthy. */
interface Resource {
  plugin: DevicePlugin | undefined;
  devices: readonly Device[];
  removal: Timer | undefined;
}

/** A plug-in that is being replaced has so long to come back. */
const GONE_GRACE_MS = 300_000;

export class DeviceManager implements PodDevices {
  readonly #options: DeviceManagerOptions;
  readonly #resources = new Map<string, Resource>();
  readonly #allocations = new DeviceAllocations();
  readonly #checkpoint: BackgroundLoop;
  #server: GrpcServer | undefined;

  constructor(options: DeviceManagerOptions) {
    this.#options = options;
    const { clock, log, directory } = options;
    const file = join(directory, "nodeagent_internal_checkpoint");
    this.#checkpoint = new BackgroundLoop({
      clock,
      reconcile: async () => {
        await writeDeviceCheckpoint(file, this.#state());
        return "done";
      },
      onError: (error) => log.warn({ err: error, file }, "the record of devices cannot be written; trying again"),
    });
  }

  /** Reads what an earlier agent has written, and listens. */
  async start(): Promise<void> {
    const { directory } = this.#options;
    const known = await readDeviceCheckpoint(join(directory, "nodeagent_internal_checkpoint"));
    for (const allocation of known.allocations) this.#allocations.set(allocation);
    for (const resource of known.resources) this.#resources.set(resource, unplugged());
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
    for (const { plugin, removal } of this.#resources.values()) {
      plugin?.close();
      removal?.cancel();
    }
    await this.#checkpoint.idle();
    this.#checkpoint.close();
  }

  /** Connects to a plug-in; it takes the place of an earlier one for the resource. Fails with the reason why it may not. */
  async register(wanted: {
    readonly resource: string;
    readonly versions: readonly string[];
    readonly socketPath: string;
  }): Promise<void> {
    const { resource, versions, socketPath } = wanted;
    const { names, clock, log } = this.#options;
    if (!versions.includes(DEVICE_API_VERSION))
      throw new GrpcError(
        "InvalidArgument",
        `the API version is not supported; the supported one is ${DEVICE_API_VERSION}`,
      );
    if (!isExtendedResource(resource, names))
      throw new GrpcError("InvalidArgument", "the name of the resource is not one of an extended resource");
    const state = unplugged();
    const plugin = await DevicePlugin.connect({
      socketPath,
      clock,
      onDevices: (devices) => this.#told(resource, state, devices),
      onGone: (error) => {
        log.warn({ err: error, resource }, "a device plug-in is gone");
        this.#lost(resource, state);
      },
    });
    state.plugin = plugin;
    const before = this.#resources.get(resource);
    before?.plugin?.close();
    before?.removal?.cancel();
    this.#resources.set(resource, state);
    this.#checkpoint.enqueue();
    this.#options.onChange();
    log.info({ resource, socketPath }, "a device plug-in has registered");
  }

  /** The plug-in of a resource is not wanted any more: its socket was taken away. */
  unregister(resource: string): void {
    const state = this.#resources.get(resource);
    if (state?.plugin === undefined) return;
    state.plugin.close();
    this.#lost(resource, state);
  }

  contribution(): NodeContribution {
    const counts = (count: (state: Resource) => number) =>
      Object.fromEntries([...this.#resources].map(([resource, state]) => [resource, String(count(state))]));
    return {
      capacity: counts(({ devices }) => devices.length),
      allocatable: counts((state) => healthyDevices(state).length),
    };
  }

  /** The devices that containers may have, by resource. */
  *healthy(): Generator<readonly [resource: string, devices: readonly Device[]]> {
    for (const [resource, state] of this.#resources) yield [resource, healthyDevices(state)];
  }

  allocationsOf(podUid: string, container: string): readonly Allocation[] {
    return this.#allocations.ofContainer(podUid, container);
  }

  async prepare(pod: Pod, container: Container | EphemeralContainer): Promise<readonly DeviceAnswer[]> {
    const prepared: DeviceAnswer[] = [];
    for (const [resource, count] of deviceNeeds(container, (name) => this.#resources.has(name))) {
      const given = await this.#allocate(pod, container.name, resource, count);
      await this.#resources.get(resource)?.plugin?.beforeStart(given.deviceIds);
      if (given.answer !== undefined) prepared.push(given.answer);
    }
    return prepared;
  }

  release(podUid: string): void {
    if (this.#allocations.release(podUid)) this.#checkpoint.enqueue();
  }

  async #allocate({ metadata, spec }: Pod, container: string, resource: string, count: number): Promise<Allocation> {
    const podUid = metadata.uid ?? "";
    const known = this.#allocations.find(podUid, container, resource);
    // A container that starts again keeps what it has.
    if (known?.answer !== undefined) return known;
    const state = this.#resources.get(resource);
    if (state?.plugin === undefined) throw new Error(`the device plug-in of ${resource} is not there`);
    const held = this.#allocations.heldFor(podUid, resource);
    const healthy = healthyDevices(state).map(({ id }) => id);
    const preferred = await this.#preferred(state.plugin, healthy, held, count);
    // Others may have got some while the plug-in was asked.
    const heldNow = this.#allocations.heldFor(podUid, resource);
    const deviceIds = chooseDevices({ wanted: count, healthy, ...heldNow, preferred });
    if (deviceIds === undefined) throw new Error(`not enough free devices of ${resource}: ${count} are wanted`);
    const isInherited = (spec.initContainers ?? []).some(
      ({ name, restartPolicy }) => name === container && restartPolicy !== "Always",
    );
    const chosen: Allocation = { podUid, container, resource, deviceIds, isInherited, answer: undefined };
    // Set aside before the plug-in is asked, so that nobody else gets them meanwhile.
    this.#allocations.set(chosen);
    try {
      const allocation = { ...chosen, answer: await state.plugin.allocate(deviceIds) };
      this.#allocations.set(allocation);
      this.#checkpoint.enqueue();
      return allocation;
    } catch (error) {
      this.#allocations.delete(chosen);
      throw error;
    }
  }

  /** An opinion that cannot be had is none. */
  async #preferred(
    plugin: DevicePlugin,
    healthy: readonly string[],
    { inherited, taken }: { readonly inherited: ReadonlySet<string>; readonly taken: ReadonlySet<string> },
    count: number,
  ): Promise<readonly string[]> {
    const free = freeDevices({ healthy, taken });
    if (free.length <= count) return [];
    const own = free.filter((id) => inherited.has(id)).slice(0, count);
    return await plugin.preferred(free, own, count).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, "a device plug-in does not say which devices it prefers");
      return [];
    });
  }

  #told(resource: string, state: Resource, devices: readonly Device[]): void {
    // One device that is named twice is one.
    state.devices = [...new Map(devices.map((device) => [device.id, device])).values()];
    if (this.#resources.get(resource) === state) this.#options.onChange();
  }

  #lost(resource: string, state: Resource): void {
    state.plugin?.close();
    state.plugin = undefined;
    if (this.#resources.get(resource) !== state) return;
    state.devices = state.devices.map((device) => ({ ...device, health: "Unhealthy" }));
    state.removal = this.#options.clock.setTimer(GONE_GRACE_MS, () => {
      state.devices = [];
      this.#options.onChange();
    });
    this.#options.onChange();
  }

  #state() {
    const allocations = this.#allocations.all().filter(({ answer }) => answer !== undefined);
    return { allocations, resources: [...this.#resources.keys()] };
  }
}

const unplugged = (): Resource => ({ plugin: undefined, devices: [], removal: undefined });

function healthyDevices({ devices }: Resource): Device[] {
  return devices.filter(({ health }) => health === HEALTHY);
}
