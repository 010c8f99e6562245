// How long it takes to make volumes and to take them away, and how many there are, as monitors of upstream's agent ask for it.

import type { Clock } from "../../base/clock.ts";
import type { Histogram, Metrics } from "../../base/metrics.ts";
import type { Pod } from "../../kinds/core/pod.ts";

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

export interface MadeVolume {
  /** What the volume of a claim is of: `csi:DRIVER`, `nfs` and so on. */
  readonly claimed?: string;
  /** The whole name of the plug-in that it is of. */
  readonly plugin?: string | undefined;
}

const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

interface StorageOperationsDeps {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** The platform's own, which the names of plug-ins begin with. */
  readonly domain: string;
}

export class StorageOperations {
  readonly #clock: Clock;
  readonly #domain: string;
  readonly #durations: Histogram;

  constructor({ metrics, clock, domain }: StorageOperationsDeps) {
    this.#clock = clock;
    this.#domain = domain;
    this.#durations = metrics.histogram({
      name: "storage_operation_duration_seconds",
      help: "Storage operation duration",
      labels: ["volume_plugin", "operation_name", "status", "migrated"],
      buckets: SECONDS,
      stability: "ALPHA",
    });
  }

  /** `make` has the volume made, or brought up to date. What is made says of which plug-in it is. */
  async making<Made extends MadeVolume>(volume: Volume, make: () => Promise<Made>): Promise<Made> {
    const startedMs = this.#clock.monotonicMs();
    try {
      const ready = await make();
      const plugin = this.pluginOf(volume, ready);
      this.#observe(plugin, "volume_mount", "success", startedMs);
      return { ...ready, plugin };
    } catch (error) {
      this.#observe(this.pluginOf(volume, undefined), "volume_mount", "fail-unknown", startedMs);
      throw error;
    }
  }

  /** `remove` takes all of them away. */
  async removing(volumes: Iterable<MadeVolume>, remove: () => Promise<void>): Promise<void> {
    const startedMs = this.#clock.monotonicMs();
    const observe = (status: string) => {
      for (const { plugin } of volumes) this.#observe(plugin, "volume_unmount", status, startedMs);
    };
    try {
      await remove();
      observe("success");
    } catch (error) {
      observe("fail-unknown");
      throw error;
    }
  }

  /** Undefined where nobody knows yet: a claim says what it is of once its volume is there. */
  pluginOf(volume: Volume, ready: MadeVolume | undefined): string | undefined {
    if (ready?.plugin !== undefined) return ready.plugin;
    const name = ready?.claimed ?? ownPlugin(volume);
    return name === undefined ? undefined : `${this.#domain}/${name}`;
  }

  #observe(plugin: string | undefined, operation: string, status: string, startedMs: number): void {
    if (plugin === undefined) return;
    const seconds = (this.#clock.monotonicMs() - startedMs) / 1000;
    this.#durations.with(plugin, operation, status, "false").observe(seconds);
  }
}

interface VolumesOfPod {
  readonly volumes: readonly Volume[];
  /** By name. */
  readonly ready: ReadonlyMap<string, MadeVolume>;
}

/** `pods` are those that run. Counted when somebody asks. */
export function addVolumeGauge(
  metrics: Metrics,
  { operations, pods }: { readonly operations: StorageOperations; readonly pods: () => Iterable<VolumesOfPod> },
): void {
  const gauge = metrics.gauge({
    name: "volume_manager_total_volumes",
    help: "Number of volumes that pods want, and that are there.",
    labels: ["plugin_name", "state"],
    stability: "ALPHA",
  });
  gauge.onCollect(() => {
    gauge.clear();
    for (const { volumes, ready } of pods())
      for (const volume of volumes) {
        const made = ready.get(volume.name);
        const plugin = operations.pluginOf(volume, made);
        if (plugin !== undefined) gauge.with(plugin, "desired_state_of_world").add(1);
        if (made?.plugin !== undefined) gauge.with(made.plugin, "actual_state_of_world").add(1);
      }
  });
}

/** By the member of the volume that says what it is. */
const PLUGINS: readonly (readonly [keyof Volume, string])[] = [
  ["hostPath", "host-path"],
  ["emptyDir", "empty-dir"],
  ["configMap", "configmap"],
  ["secret", "secret"],
  ["projected", "projected"],
  ["downwardAPI", "downward-api"],
  ["nfs", "nfs"],
  ["image", "image"],
];

function ownPlugin(volume: Volume): string | undefined {
  if (volume.csi) return `csi:${volume.csi.driver}`;
  return PLUGINS.find(([member]) => volume[member] !== undefined)?.[1];
}
