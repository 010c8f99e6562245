// The devices that there are, by resource: what the plug-ins that have registered tell of theirs.
// Requirements: document 3, "Node-agent local files and sockets" (device plugin registration socket).

import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { isExtendedResource } from "../../kinds/core/pod/resource-names.ts";
import type { Names } from "../../meta/names.ts";
import type { NodeContribution } from "../context.ts";
import { GrpcError } from "../grpc/grpc-error.ts";
import { DEVICE_API_VERSION, type Device, HEALTHY } from "./device-messages.ts";
import { DevicePlugin } from "./device-plugin.ts";

interface DeviceInventoryOptions {
  readonly names: Names;
  readonly clock: Clock;
  readonly log: Log;
  /** The number of devices has changed. */
  readonly onChange: () => void;
  /** There is another plug-in. */
  readonly onPlugin: () => void;
}

export interface WantedPlugin {
  readonly resource: string;
  readonly versions: readonly string[];
  readonly socketPath: string;
}

/** What is known of one resource. A plug-in that is gone leaves its devices for a while, none of them healthy. */
export interface DeviceResource {
  plugin: DevicePlugin | undefined;
  devices: readonly Device[];
  removal: Timer | undefined;
}

/** A plug-in that is being replaced has so long to come back. */
const GONE_GRACE_MS = 300_000;

export class DeviceInventory {
  readonly #options: DeviceInventoryOptions;
  readonly #resources = new Map<string, DeviceResource>();

  constructor(options: DeviceInventoryOptions) {
    this.#options = options;
  }

  has(resource: string): boolean {
    return this.#resources.has(resource);
  }

  get(resource: string): DeviceResource | undefined {
    return this.#resources.get(resource);
  }

  /** An earlier agent knew the resource; its plug-in has yet to come back. */
  expect(resource: string): void {
    this.#resources.set(resource, unplugged());
  }

  close(): void {
    for (const { plugin, removal } of this.#resources.values()) {
      plugin?.close();
      removal?.cancel();
    }
  }

  /** Connects to a plug-in; it takes the place of an earlier one for the resource. Fails with the reason why it may not. */
  async register({ resource, versions, socketPath }: WantedPlugin): Promise<void> {
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
    this.#options.onPlugin();
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
    const counts = (count: (state: DeviceResource) => number) =>
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

  #told(resource: string, state: DeviceResource, devices: readonly Device[]): void {
    // One device that is named twice is one.
    state.devices = [...new Map(devices.map((device) => [device.id, device])).values()];
    if (this.#resources.get(resource) === state) this.#options.onChange();
  }

  #lost(resource: string, state: DeviceResource): void {
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
}

/** A resource that nobody offers. */
export const unplugged = (): DeviceResource => ({ plugin: undefined, devices: [], removal: undefined });

export function healthyDevices({ devices }: DeviceResource): Device[] {
  return devices.filter(({ health }) => health === HEALTHY);
}
