// The connection to one storage driver on this node.

import type { Clock } from "../../base/clock.ts";
import { GrpcChannel } from "../grpc/channel.ts";
import {
  csiProcedures,
  type DriverCapability,
  type ExpandRequest,
  type NodeInfo,
  type PublishRequest,
  type StageRequest,
  type StatsAnswer,
} from "./csi-messages.ts";

/** Drivers format disks and wait for networks. */
const TIMEOUT_MS = 120_000;

export class CsiDriver {
  readonly name: string;
  readonly #channel: GrpcChannel;
  #capabilities: Promise<ReadonlySet<DriverCapability>> | undefined;

  constructor(name: string, { socketPath, clock }: { readonly socketPath: string; readonly clock: Clock }) {
    this.name = name;
    this.#channel = new GrpcChannel({ socketPath, timeoutMs: TIMEOUT_MS, clock });
  }

  async info(): Promise<NodeInfo> {
    return await this.#channel.call(csiProcedures.info, {});
  }

  async can(capability: DriverCapability): Promise<boolean> {
    this.#capabilities ??= this.#ask();
    try {
      return (await this.#capabilities).has(capability);
    } catch (error) {
      this.#capabilities = undefined;
      throw error;
    }
  }

  async stage(request: StageRequest): Promise<void> {
    await this.#channel.call(csiProcedures.stage, request);
  }

  async publish(request: PublishRequest): Promise<void> {
    await this.#channel.call(csiProcedures.publish, request);
  }

  async unpublish(volumeId: string, targetPath: string): Promise<void> {
    await this.#channel.call(csiProcedures.unpublish, { volumeId, targetPath });
  }

  async unstage(volumeId: string, stagingTargetPath: string): Promise<void> {
    await this.#channel.call(csiProcedures.unstage, { volumeId, stagingTargetPath });
  }

  async expand(request: ExpandRequest): Promise<void> {
    await this.#channel.call(csiProcedures.expand, request);
  }

  async stats(volumeId: string, volumePath: string, stagingTargetPath: string): Promise<StatsAnswer> {
    return await this.#channel.call(csiProcedures.stats, { volumeId, volumePath, stagingTargetPath });
  }

  close(): void {
    this.#channel.close();
  }

  async #ask(): Promise<ReadonlySet<DriverCapability>> {
    const { capabilities } = await this.#channel.call(csiProcedures.capabilities, {});
    return new Set(capabilities.flatMap(({ rpc }) => rpc?.type ?? []));
  }
}
