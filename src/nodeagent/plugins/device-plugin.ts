// The connection to one plug-in that has devices: it tells of them until it is gone.

import type { Clock } from "../../base/clock.ts";
import { GrpcChannel } from "../grpc/channel.ts";
import { type Device, type DeviceAnswer, type DeviceOptions, deviceProcedures } from "./device-messages.ts";

interface DevicePluginOptions {
  readonly socketPath: string;
  readonly clock: Clock;
  readonly onDevices: (devices: readonly Device[]) => void;
  /** The plug-in does not tell of its devices any more. Not called after `close`. */
  readonly onGone: (error: unknown) => void;
}

const TIMEOUT_MS = 10_000;
/** A plug-in may have to reset a device first. */
const PRE_START_TIMEOUT_MS = 30_000;

export class DevicePlugin {
  readonly #channel: GrpcChannel;
  readonly #options: DeviceOptions;
  readonly #closing = new AbortController();

  private constructor(channel: GrpcChannel, options: DeviceOptions) {
    this.#channel = channel;
    this.#options = options;
  }

  /** Fails with GrpcError when nobody answers. */
  static async connect({ socketPath, clock, onDevices, onGone }: DevicePluginOptions): Promise<DevicePlugin> {
    const channel = new GrpcChannel({ socketPath, timeoutMs: TIMEOUT_MS, clock });
    try {
      const plugin = new DevicePlugin(channel, await channel.call(deviceProcedures.options, {}));
      void plugin.#follow(onDevices, onGone);
      return plugin;
    } catch (error) {
      channel.close();
      throw error;
    }
  }

  async allocate(deviceIds: readonly string[]): Promise<DeviceAnswer> {
    const request = { containerRequests: [{ deviceIds }] };
    const { containerResponses } = await this.#channel.call(deviceProcedures.allocate, request);
    const [answer] = containerResponses;
    if (answer === undefined) throw new Error("the device plug-in has not answered for the container");
    return answer;
  }

  /** Which of the free devices go well together, the best first; none where the plug-in has no opinion. */
  async preferred(free: readonly string[], own: readonly string[], count: number): Promise<readonly string[]> {
    if (!this.#options.getPreferredAllocationAvailable) return [];
    const request = { availableIds: free, mustIncludeIds: own, allocationSize: count };
    const { containerResponses } = await this.#channel.call(deviceProcedures.preferred, {
      containerRequests: [request],
    });
    return containerResponses[0]?.deviceIds ?? [];
  }

  /** Before every start of a container, where the plug-in wants to hear of it. */
  async beforeStart(deviceIds: readonly string[]): Promise<void> {
    if (!this.#options.preStartRequired) return;
    await this.#channel.call(deviceProcedures.preStart, { deviceIds }, { timeoutMs: PRE_START_TIMEOUT_MS });
  }

  close(): void {
    this.#closing.abort(new Error("the connection to the device plug-in was closed"));
    this.#channel.close();
  }

  async #follow(onDevices: (devices: readonly Device[]) => void, onGone: (error: unknown) => void): Promise<void> {
    const { signal } = this.#closing;
    let why: unknown = new Error("the device plug-in has ended its list");
    try {
      for await (const { devices } of this.#channel.stream(deviceProcedures.listAndWatch, {}, { signal })) {
        if (signal.aborted) return;
        onDevices(devices);
      }
    } catch (error) {
      why = error;
    }
    if (!signal.aborted) onGone(why);
  }
}
