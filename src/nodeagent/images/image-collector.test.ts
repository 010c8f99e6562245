import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { Image } from "../cri/image-messages.ts";
import { ImageCollector, unusedImages } from "./image-collector.ts";

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

describe("images that may go", () => {
  const seen = new Map([
    ["old", { isOld: false, firstMs: 0, lastUsedMs: 10 }],
    ["older", { isOld: false, firstMs: 0, lastUsedMs: 5 }],
    ["used", { isOld: false, firstMs: 0, lastUsedMs: 10_000 }],
    ["young", { isOld: false, firstMs: 9_500, lastUsedMs: 0 }],
    ["found", { isOld: true, firstMs: 9_500, lastUsedMs: 9_999 }],
    ["pinned", { isOld: false, firstMs: 0, lastUsedMs: 0 }],
  ]);
  const images = [
    image("old"),
    image("used"),
    image("older"),
    image("young"),
    image("found"),
    image("pinned", { pinned: true }),
  ];
  const unused = (more: Partial<typeof settings> = {}) =>
    unusedImages(images, seen, { nowMs: 10_000, settings: { ...settings, ...more } });

  it("are those that nobody uses, used longest ago first, and not the youngest", () => {
    expect(unused().map(({ image: { id } }) => id)).toEqual(["older", "old", "found"]);
  });

  it("may be too old", () => {
    const tooOld = unused({ maxAgeMs: 9_992 }).filter(({ isTooOld }) => isTooOld);
    expect(tooOld.map(({ image: { id } }) => id)).toEqual(["older"]);
    expect(unused().filter(({ isTooOld }) => isTooOld)).toEqual([]);
  });
});

/** On a disk of a thousand bytes. */
function playedRuntime() {
  const removed: string[] = [];
  const runtime = {
    stored: [] as Image[],
    removed,
    availableBytes: 50,
    info: {} as Record<string, string>,
    onMeasure: async () => {},
    stuck: "",
  };
  const cri: ConstructorParameters<typeof ImageCollector>[0]["cri"] = {
    listImages: async () => ({ images: runtime.stored }),
    removeImage: async ({ image: spec }) => {
      if (spec?.image === runtime.stuck) throw new Error("the image is in use");
      removed.push(spec?.image ?? "");
      return {};
    },
    imageFsInfo: async () => ({
      imageFilesystems: [
        { timestamp: 0, fsId: { mountpoint: "/images" }, usedBytes: undefined, inodesUsed: undefined },
      ],
      containerFilesystems: [],
    }),
    imageStatus: async (request) => ({
      image: runtime.stored.find(({ repoTags }) => repoTags.includes(`docker.io/${request.image?.image}`)),
      info: {},
    }),
    status: async ({ verbose }) => ({
      status: undefined,
      info: verbose ? runtime.info : {},
      runtimeHandlers: [],
      features: undefined,
    }),
  };
  const clock = new FakeClock();
  const collector = new ImageCollector({
    ...{ clock, settings, cri },
    measure: async () => {
      await runtime.onMeasure();
      return { totalBytes: 1_000, availableBytes: runtime.availableBytes };
    },
    inUse: () => new Set(["b:1"]),
    onCollected: async () => undefined,
  });
  const collect = async () => await collector.collect({ asMuchAsPossible: false });
  return { runtime, clock, collect };
}

it("removes images when their disk is full, and not those of containers", async () => {
  const { runtime, clock, collect } = playedRuntime();
  const { removed } = runtime;
  runtime.stored = [image("a"), image("b")];
  await collect();
  expect(removed).toEqual(["a"]);
  // One that a pod may just be waiting for.
  runtime.stored = [image("b"), image("c")];
  await collect();
  expect(removed).toEqual(["a"]);
  await clock.advance(2_000);
  await collect();
  expect(removed).toEqual(["a", "c"]);
  runtime.availableBytes = 900;
  runtime.stored = [image("b"), image("d")];
  await collect();
  await clock.advance(2_000);
  await collect();
  expect(removed).toEqual(["a", "c"]);
});

it("keeps images of containers, however long it takes to measure the disk", async () => {
  const { runtime, clock, collect } = playedRuntime();
  runtime.onMeasure = () => clock.advance(5);
  runtime.stored = [image("a"), image("b")];
  await collect();
  expect(runtime.removed).toEqual(["a"]);
});

it("removes as many as the disk needs, the next ones instead of those that the runtime does not let go", async () => {
  const { runtime, collect } = playedRuntime();
  runtime.stuck = "a";
  runtime.stored = [image("a"), image("c"), image("d"), image("e")];
  await expect(collect()).rejects.toThrow("the image is in use");
  expect(runtime.removed).toEqual(["c", "d"]);
});

it.each([
  ["that the runtime says it makes them of", { config: '{"sandboxImage":"pause:3"}' }, ["a"]],
  ["unless the runtime says nothing of it", { config: "{}" }, ["a", "p"]],
  ["nor anything that cannot be read", { config: "{" }, ["a", "p"]],
])("keeps the image of sandboxes %s", async (_, info, expected) => {
  const { runtime, collect } = playedRuntime();
  runtime.info = info;
  runtime.stored = [image("a"), image("p", { repoTags: ["docker.io/pause:3"] })];
  await collect();
  expect(runtime.removed).toEqual(expected);
});
