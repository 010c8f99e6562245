import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { volumeMetrics } from "./volume-metrics.ts";
import { measureVolumes } from "./volume-usage.ts";

const sources: string[] = [];
const measuring = { clock: new FakeClock(), onMeasured: (source: string) => void sources.push(source) };
beforeEach(() => void sources.splice(0));

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "plinth-volume-"));
  writeFileSync(join(path, "file"), "x".repeat(100_000));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

const told = { bytes: { total: 1_000, available: 400, used: 600 }, inodes: { total: 10, available: 7, used: 3 } };

describe("volumes", () => {
  it("are told of with who was asked", async () => {
    const measure = async () => told;
    const volumes = [
      { path, readOnly: false },
      { path, readOnly: false, claim: "data" },
      { path, readOnly: false, claim: "data", plugin: "platform.io/csi:disks.example.com", measure },
      { path: "/nowhere", readOnly: false },
    ];
    await measureVolumes(new Map(volumes.map((volume, at) => [String(at), volume])), measuring);
    expect(sources).toEqual(["du", "statfs", "csi:disks.example.com"]);
  });

  it("are as full as their files, of a disk that others use too", async () => {
    const usage = (await measureVolumes(new Map([["e", { path, readOnly: false }]]), measuring)).get("e");
    expect(usage?.bytes).toBeGreaterThanOrEqual(100_000);
    expect(usage?.bytes).toBeLessThan(1_000_000);
    expect(usage?.capacityBytes).toBeGreaterThan(usage?.availableBytes ?? Number.POSITIVE_INFINITY);
  });

  it.each([
    ["lie elsewhere", { isRemote: true }],
    ["have a maker who does not know", { claim: "data", measure: async () => undefined }],
  ])("are as full as their file system where they %s", async (_, more) => {
    const { blocks, bsize, files } = statfsSync(path);
    const usage = (await measureVolumes(new Map([["far", { path, readOnly: false, ...more }]]), measuring)).get("far");
    expect(usage).toMatchObject({ capacityBytes: blocks * bsize, capacityInodes: files });
    expect(usage?.bytes).toBeGreaterThan(0);
    expect(sources).toEqual(["statfs"]);
  });

  it("are as full as their maker says", async () => {
    const volume = { path, readOnly: false, claim: "data", measure: async () => told };
    expect((await measureVolumes(new Map([["d", volume]]), measuring)).get("d")).toEqual({
      claim: "data",
      ...{ bytes: 600, capacityBytes: 1_000, availableBytes: 400 },
      ...{ inodes: 3, capacityInodes: 10, freeInodes: 7 },
    });
  });

  it.each([
    ["images", { path: "", readOnly: true, image: "sha256:1" }],
    ["paths of the node", { path: "/", readOnly: false, isOfHost: true }],
    ["devices whose maker says nothing", { path: "/dev/null", readOnly: false, isDevice: true }],
    ["what is gone", { path: "/nowhere", readOnly: false }],
    ["what does not answer", { path: "/", readOnly: false, measure: () => Promise.reject(new Error("no")) }],
  ])("are not measured when they are %s", async (_, volume) => {
    expect((await measureVolumes(new Map([["v", volume]]), measuring)).size).toBe(0);
  });
});

it("claims are told once, with what is known of them", async () => {
  const volume = { path, readOnly: false, claim: "data", measure: async () => ({ bytes: told.bytes }) };
  const usage = (await measureVolumes(new Map([["d", volume]]), measuring)).get("d");
  const claim = { namespace: "n", usage: { ...usage!, claim: "data" } };
  const text = volumeMetrics([claim, claim]);
  expect(text).toContain('kubelet_volume_stats_used_bytes{namespace="n",persistentvolumeclaim="data"} 600\n');
  expect(text.match(/kubelet_volume_stats_capacity_bytes\{/g)).toHaveLength(1);
  expect(text).not.toContain("inodes_free");
});
