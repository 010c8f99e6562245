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
  const removed = (dueBytes: number, more: Partial<typeof settings> = {}) =>
    imagesToRemove(images, seen, { nowMs: 10_000, dueBytes, settings: { ...settings, ...more } }).map(({ id }) => id);

  it.each([
    ["are none while there is room", 0, {}, []],
    ["are those used longest ago, as many as it takes", 100, {}, ["older"]],
    ["are all that nobody uses, where it takes them", 1_000, {}, ["older", "old", "found"]],
    ["are those that are too old, whatever the room", 0, { maxAgeMs: 9_992 }, ["older"]],
  ])("%s", (_, dueBytes, more, expected) => {
    expect(removed(dueBytes, more)).toEqual(expected);
  });
});

/** On a disk of a thousand bytes. */
function playedRuntime() {
  const removed: string[] = [];
  const runtime = { stored: [] as Image[], removed, availableBytes: 50, info: {} as Record<string, string> };
  const cri: ConstructorParameters<typeof ImageCollector>[0]["cri"] = {
    listImages: async () => ({ images: runtime.stored }),
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
    measure: async () => ({ totalBytes: 1_000, availableBytes: runtime.availableBytes }),
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
