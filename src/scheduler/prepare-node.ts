// What a pod needs on its node beside room: volumes that are bound for it, devices that are allocated and reserved. Counted
// as given when the node is chosen, so that the next pod sees it; written down before the pod is bound; taken back when it
// does not get there.

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Client } from "../client/client.ts";
import type { Informer } from "../client/informer.ts";
import type { Node } from "../kinds/core/node.ts";
import { awaitDevices, bindClaims, promiseDevices, releaseDevices, unreserveClaims } from "./bind-claims.ts";
import { bindVolumes, hasWork, promiseVolumes, releaseVolumes } from "./bind-volumes.ts";
import type { DeviceCache } from "./device-cache.ts";
import { type DevicePlan, devicePlanFor } from "./filters/dynamic-resources.ts";
import { type VolumePlan, volumePlanFor } from "./filters/volumes.ts";
import type { Profile } from "./profiles/profile.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";
import type { NodeInfo } from "./state/node-info.ts";
import type { PodInfo } from "./state/pod-info.ts";
import type { VolumeCache } from "./volume-cache.ts";

interface NodePreparationParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly volumes: VolumeCache;
  readonly nodes: Informer<Node>;
  readonly devices: DeviceCache;
  readonly metrics: Pick<SchedulerMetrics, "passed" | "volumesNotBound">;
  readonly signal: AbortSignal;
  profileOf(info: PodInfo): Pick<Profile, "schedulerName" | "allocatesDevices" | "bindVolumesMs">;
  /** Told of pods that wait until drivers have prepared their devices. */
  readonly onDevicesAwaited: (info: PodInfo, nodeName: string) => void;
}

/** Undefined where there is nothing to do, as for most pods. */
export interface NodePlans {
  readonly volumes: VolumePlan | undefined;
  readonly devices: DevicePlan | undefined;
}

/** Whether a pod waits for others, who may take their time. */
export const isLong = ({ volumes, devices }: NodePlans): boolean =>
  volumes !== undefined || (devices !== undefined && devices.awaited.length > 0);

export class NodePreparation {
  readonly #parts: NodePreparationParts;

  constructor(parts: NodePreparationParts) {
    this.#parts = parts;
  }

  /** Nobody else is given it, until done() or takeBack(). Throws when there is not enough any more. */
  promise(info: PodInfo, node: NodeInfo): NodePlans {
    const { allocatesDevices, bindVolumesMs } = this.#parts.profileOf(info);
    const devices = allocatesDevices ? devicePlanFor(info, node, this.#parts.devices) : undefined;
    const isWithout = info.claims.length === 0 || bindVolumesMs === undefined;
    const found = isWithout ? undefined : volumePlanFor(info, node, this.#parts.volumes);
    const volumes = found !== undefined && hasWork(found) ? found : undefined;
    if (volumes !== undefined) promiseVolumes(volumes, this.#parts.volumes);
    if (devices !== undefined) promiseDevices(devices, this.#parts.devices);
    return { volumes, devices };
  }

  /** May take as long as whoever makes volumes or prepares devices does. */
  async fulfil({ volumes, devices }: NodePlans, info: PodInfo, nodeName: string): Promise<void> {
    const { clock, metrics } = this.#parts;
    if (volumes === undefined && devices === undefined) return;
    const { schedulerName, bindVolumesMs: patienceMs = 0 } = this.#parts.profileOf(info);
    const startMs = clock.monotonicMs();
    if (volumes !== undefined)
      await bindVolumes(volumes, nodeName, { ...this.#parts, patienceMs }).catch((error: unknown) => {
        metrics.volumesNotBound();
        throw error;
      });
    if (devices !== undefined) {
      await bindClaims(devices, info, this.#parts);
      if (devices.awaited.length > 0) {
        this.#parts.onDevicesAwaited(info, nodeName);
        await awaitDevices(devices, info, this.#parts);
      }
    }
    metrics.passed(schedulerName, "PreBind", "Success", (clock.monotonicMs() - startMs) / 1000);
  }

  async takeBack(plans: NodePlans, info: PodInfo): Promise<void> {
    this.done(plans);
    if (plans.devices === undefined) return;
    try {
      await unreserveClaims(plans.devices, info, this.#parts);
    } catch (error) {
      // The next attempt of the pod finds it reserved, or whoever looks after claims takes it away.
      this.#parts.log.debug({ err: error, pod: info.key }, "claims of a pod stay reserved");
    }
  }

  /** What was promised is written down, or is not needed. */
  done({ volumes, devices }: NodePlans): void {
    if (volumes !== undefined) releaseVolumes(volumes, this.#parts.volumes);
    if (devices !== undefined) releaseDevices(devices, this.#parts.devices);
  }
}
