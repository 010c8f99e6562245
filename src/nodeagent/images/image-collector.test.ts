import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { Image } from "../cri/image-messages.ts";
import { ImageCollector, imagesToRemove } from "./image-collector.ts";

const image = (id: string, more: Partial<Image> = {}): Image => ({
  id,
  repoTags: [`${id}:1`],
  repoDigests: [],
  size: 100,
  uid: undefined,
  username: "",
  spec: undefined,
  pinned: false,
  ...more,
});
const settings = { highPercent: 85, lowPercent: 80, minAgeMs: 1_000, maxAgeMs: 0 };

describe("images that go", () => {
  const seen = new Map([
    ["old", { firstMs: 0, lastUsedMs: 10 }],
    ["older", { firstMs: 0, lastUsedMs: 5 }],
    ["used", { firstMs: 0, lastUsedMs: 10_000 }],
    ["young", { firstMs: 9_500, lastUsedMs: 0 }],
    ["pinned", { firstMs: 0, lastUsedMs: 0 }],
  ]);
  const images = [image("old"), image("used"), image("older"), image("young"), image("pinned", { pinned: true })];
  const removed = (dueBytes: number, more: Partial<typeof settings> = {}) =>
    imagesToRemove(images, seen, { nowMs: 10_000, dueBytes, settings: { ...settings, ...more } }).map(({ id }) => id);

  it.each([
    ["are none while there is room", 0, {}, []],
    ["are those used longest ago, as many as it takes", 100, {}, ["older"]],
    ["are all that nobody uses, where it takes them", 1_000, {}, ["older", "old"]],
    ["are those that are too old, whatever the room", 0, { maxAgeMs: 9_992 }, ["older"]],
  ])("%s", (_, dueBytes, more, expected) => {
    expect(removed(dueBytes, more)).toEqual(expected);
  });
});

it("removes images when their disk is full, and not those of containers", async () => {
  const clock = new FakeClock();
  const removed: string[] = [];
  let availableBytes = 50;
  const collector = new ImageCollector({
    clock,
    settings,
    cri: {
      listImages: async () => ({ images: [image("a"), image("b")] }),
      removeImage: async ({ image: spec }) => {
        removed.push(spec?.image ?? "");
        return {};
      },
      imageFsInfo: async () => ({
        imageFilesystems: [
          { timestamp: 0, fsId: { mountpoint: "/images" }, usedBytes: undefined, inodesUsed: undefined },
        ],
        containerFilesystems: [],
      }),
    },
    measure: async () => ({ totalBytes: 1_000, availableBytes }),
    inUse: () => new Set(["b:1"]),
    onRemoved: async () => undefined,
  });
  await collector.collect({ asMuchAsPossible: false });
  expect(removed).toEqual([]);
  await clock.advance(2_000);
  await collector.collect({ asMuchAsPossible: false });
  expect(removed).toEqual(["a"]);
  availableBytes = 900;
  await clock.advance(2_000);
  await collector.collect({ asMuchAsPossible: false });
  expect(removed).toEqual(["a"]);
});
