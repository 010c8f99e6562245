import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { podWith } from "../pods/runtime-pod.testing.ts";
import type { ReadyVolume } from "../volumes/pod-volumes.ts";
import { PodUsageReader } from "./pod-usage.ts";

it("who has to decide soon is not kept waiting by volumes of others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plinth-usage-"));
  let asked = 0;
  const measure = async () => {
    asked += 1;
    return { bytes: { total: 10, available: 4, used: 6 } };
  };
  const volumes = new Map<string, ReadyVolume>([
    ["own", { path: folder, readOnly: false }],
    ["claimed", { path: "/", readOnly: false, claim: "data", measure }],
    ["far", { path: folder, readOnly: false, isRemote: true }],
  ]);
  const clock = new FakeClock(0);
  const attributes = { metadata: { uid: "u", name: "p", namespace: "n", attempt: 0 } };
  const reader = new PodUsageReader({
    cri: {
      listPodSandboxStats: async () => ({ stats: [{ attributes, linux: { containers: [] } }] }) as never,
      listContainerStats: async () => ({ stats: [] }) as never,
    },
    clock,
    podLogsDir: "/nowhere",
    volumesOf: () => volumes,
    podUidLabel: "uid",
    volumesEveryMs: 1_000,
    onMeasured: () => {},
  });
  const used = (await reader.of([podWith({})])).get("u");
  expect([...(used?.volumes.keys() ?? [])]).toEqual(["own"]);
  expect(asked).toBe(0);
  expect((await reader.volumes("u")).get("claimed")?.bytes).toBe(6);
  await reader.volumes("u");
  expect(asked).toBe(1);
  await clock.advance(1_000);
  await reader.volumes("u");
  expect(asked).toBe(2);
  rmSync(folder, { recursive: true });
});
