// What the node needs besides its pods: disks that do not fill up with images, logs and what is left of ended pods.

import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import { bytesOf } from "../containers/linux-resources.ts";
import { containerLogPath, podLogDirectory } from "../containers/runtime-names.ts";
import type { AgentContext } from "../context.ts";
import { ImageCollector } from "../images/image-collector.ts";
import type { PullRecords } from "../images/pull-records.ts";
import { rotateLog } from "../logs/rotate-log.ts";
import type { PodVolumes } from "../volumes/pod-volumes.ts";
import type { PodSync } from "./pod-sync.ts";
import type { PodTable } from "./pod-table.ts";
import type { RuntimeView } from "./runtime-view.ts";

interface NodeUpkeepDeps {
  readonly context: AgentContext;
  readonly table: PodTable;
  readonly view: RuntimeView;
  readonly records: PullRecords | undefined;
  readonly sync: Pick<PodSync, "remove">;
  readonly volumes: Pick<PodVolumes, "readyOf">;
  readonly onError: (error: unknown) => void;
}

const IMAGES_MS = 300_000;

export class NodeUpkeep {
  readonly #deps: NodeUpkeepDeps;
  readonly #collector: ImageCollector;
  readonly #images: BackgroundLoop;
  readonly #logs: BackgroundLoop;

  constructor(deps: NodeUpkeepDeps) {
    this.#deps = deps;
    const { onError } = deps;
    const { clock, config } = deps.context;
    this.#collector = this.#makeCollector();
    this.#images = new BackgroundLoop({
      clock,
      onError,
      everyMs: IMAGES_MS,
      reconcile: async () => {
        await this.#collector.collect({ asMuchAsPossible: false });
        return "done";
      },
    });
    const everyMs = config.containerLogMonitorIntervalMs;
    this.#logs = new BackgroundLoop({ clock, onError, everyMs, reconcile: () => this.#rotateLogs() });
  }

  start(): void {
    // What is there now is old, however young this agent is.
    this.#images.enqueue("", 0);
    this.#logs.enqueue("", this.#deps.context.config.containerLogMonitorIntervalMs);
  }

  close(): void {
    this.#images.close();
    this.#logs.close();
  }

  async #rotateLogs(): Promise<Outcome> {
    const { context, table, view, onError } = this.#deps;
    const { cri, clock, config } = context;
    const maxBytes = bytesOf(config.containerLogMaxSize);
    const maxFiles = config.containerLogMaxFiles;
    const due = table.active().flatMap(({ uid, pod }) =>
      (view.pod(uid)?.containers ?? [])
        .filter(({ state }) => state === "running")
        .map(({ id, name, restartCount }) => {
          const log = join(podLogDirectory(config.podLogsDir, pod), containerLogPath(name, restartCount));
          const reopen = async () => void (await cri.reopenContainerLog({ containerId: id }));
          return () => rotateLog(log, { maxBytes, maxFiles, nowMs: clock.nowMs(), reopen });
        }),
    );
    const workers = Array.from({ length: config.containerLogMaxWorkers }, async () => {
      // One that cannot be rotated is no reason to let the others grow.
      for (let rotate = due.pop(); rotate !== undefined; rotate = due.pop()) await rotate().catch(onError);
    });
    await Promise.all(workers);
    return "done";
  }

  /** Gives back what nobody uses: the containers of pods that have ended, and then every image without a container. */
  async reclaim(signal: AbortSignal): Promise<void> {
    const { table, view, sync, onError } = this.#deps;
    for (const entry of table.all()) {
      const runtime = entry.hasEnded ? view.pod(entry.uid) : undefined;
      if (runtime !== undefined) await sync.remove(runtime, entry, signal).catch(onError);
    }
    await this.#collector.collect({ asMuchAsPossible: true });
  }

  #makeCollector(): ImageCollector {
    const { context, records } = this.#deps;
    const { cri, clock, config } = context;
    return new ImageCollector({
      cri,
      clock,
      settings: {
        highPercent: config.imageGCHighThresholdPercent,
        lowPercent: config.imageGCLowThresholdPercent,
        minAgeMs: config.imageMinimumGCAgeMs,
        maxAgeMs: config.imageMaximumGCAgeMs,
      },
      measure: async (path) => {
        const { blocks, bavail, bsize } = await statfs(path);
        return { totalBytes: blocks * bsize, availableBytes: bavail * bsize };
      },
      inUse: () => this.#imagesInUse(),
      onCollected: async (imageIds, sinceMs) => await records?.keepOnly(imageIds, sinceMs),
    });
  }

  /** Of containers, and of volumes that are images. */
  #imagesInUse(): Set<string> {
    const { view, table, volumes } = this.#deps;
    const used = new Set<string>();
    for (const { containers } of view.pods())
      for (const { image, imageId, imageSpec } of containers) used.add(image).add(imageId).add(imageSpec);
    for (const { uid } of table.active())
      for (const { image } of volumes.readyOf(uid).values()) if (image !== undefined) used.add(image);
    return used;
  }
}
