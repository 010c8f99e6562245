// Removes images that nobody uses when their disk fills up, those first that were used longest ago.

import type { Clock } from "../../base/clock.ts";
import type { CriClient } from "../cri/cri-client.ts";
import type { Image } from "../cri/image-messages.ts";
import { sandboxImageId } from "./sandbox-image.ts";

interface CollectorSettings {
  /** Shares of the disk: from the first on images are removed, until the second. */
  readonly highPercent: number;
  readonly lowPercent: number;
  /** Younger images stay: a container may be about to use them. */
  readonly minAgeMs: number;
  /** Unused for longer than this, an image goes whatever the disk says; 0 is never. */
  readonly maxAgeMs: number;
}

interface ImageCollectorDeps {
  readonly cri: Pick<CriClient, "listImages" | "imageStatus" | "removeImage" | "imageFsInfo" | "status">;
  readonly clock: Clock;
  readonly settings: CollectorSettings;
  /** The size of the disk at this path. */
  readonly measure: (path: string) => Promise<{ readonly totalBytes: number; readonly availableBytes: number }>;
  /** Images of containers, by whatever name the runtime gave. */
  readonly inUse: () => ReadonlySet<string>;
  /** Told which images are left, and when they were looked at. */
  readonly onCollected: (imageIds: ReadonlySet<string>, sinceMs: number) => Promise<void>;
}

interface Seen {
  /** It was there before the agent looked for the first time, so it is not one that a pod is just waiting for. */
  readonly isOld: boolean;
  firstMs: number;
  lastUsedMs: number;
}

export class ImageCollector {
  readonly #deps: ImageCollectorDeps;
  readonly #seen = new Map<string, Seen>();
  #hasLooked = false;

  constructor(deps: ImageCollectorDeps) {
    this.#deps = deps;
  }

  /** Notes what is used, and removes what has to go: enough for the disk, or as much as can be. */
  async collect({ asMuchAsPossible }: { readonly asMuchAsPossible: boolean }): Promise<void> {
    const { cri, clock, settings, inUse, onCollected } = this.#deps;
    // One moment for all: what is used now must not look as if it had been used before.
    const nowMs = clock.nowMs();
    const { images } = await cri.listImages({});
    this.#note(images, inUse(), nowMs);
    let dueBytes = asMuchAsPossible ? Number.POSITIVE_INFINITY : await this.#bytesToFree();
    const left = new Set(images.map(({ id }) => id));
    const unused = unusedImages(images, this.#seen, { nowMs, settings });
    const isDue = (each: UnusedImage) => dueBytes > 0 || each.isTooOld;
    const kept = unused.some(isDue) ? await sandboxImageId(cri) : undefined;
    const problems: unknown[] = [];
    for (const each of unused) {
      const { id, size } = each.image;
      if (id === kept || !isDue(each)) continue;
      try {
        await cri.removeImage({ image: { image: id } });
        this.#seen.delete(id);
        left.delete(id);
        dueBytes -= size;
      } catch (error) {
        // One that cannot be removed is no reason to keep the others.
        problems.push(error);
      }
    }
    await onCollected(left, nowMs);
    if (problems.length > 0) throw problems[0];
  }

  #note(images: readonly Image[], used: ReadonlySet<string>, nowMs: number): void {
    const ids = new Set(images.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
    for (const { id, repoTags, repoDigests } of images) {
      const seen = this.#seen.get(id) ?? { isOld: !this.#hasLooked, firstMs: nowMs, lastUsedMs: 0 };
      if ([id, ...repoTags, ...repoDigests].some((name) => used.has(name))) seen.lastUsedMs = nowMs;
      this.#seen.set(id, seen);
    }
    this.#hasLooked = true;
  }

  async #bytesToFree(): Promise<number> {
    const { cri, settings, measure } = this.#deps;
    const { imageFilesystems } = await cri.imageFsInfo({});
    const path = imageFilesystems[0]?.fsId?.mountpoint;
    if (path === undefined) return 0;
    const { totalBytes, availableBytes } = await measure(path);
    const usedPercent = totalBytes === 0 ? 0 : 100 - (100 * availableBytes) / totalBytes;
    if (usedPercent < settings.highPercent) return 0;
    return (totalBytes * (100 - settings.lowPercent)) / 100 - availableBytes;
  }
}

interface UnusedImage {
  readonly image: Image;
  /** It goes whatever the disk says. */
  readonly isTooOld: boolean;
}

/** Those that may go, in the order in which they do. Pure. */
export function unusedImages(
  images: readonly Image[],
  seen: ReadonlyMap<string, Readonly<Seen>>,
  { nowMs, settings }: { readonly nowMs: number; readonly settings: CollectorSettings },
): UnusedImage[] {
  return images
    .map((image) => ({ image, ...(seen.get(image.id) ?? { isOld: false, firstMs: nowMs, lastUsedMs: nowMs }) }))
    .filter(({ image, lastUsedMs }) => !image.pinned && lastUsedMs < nowMs)
    .filter(({ isOld, firstMs }) => isOld || nowMs - firstMs >= settings.minAgeMs)
    .sort((a, b) => a.lastUsedMs - b.lastUsedMs || a.firstMs - b.firstMs)
    .map(({ image, firstMs, lastUsedMs }) => ({
      image,
      isTooOld: settings.maxAgeMs > 0 && nowMs - Math.max(firstMs, lastUsedMs) > settings.maxAgeMs,
    }));
}
