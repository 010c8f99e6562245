// A disk that is really full: a small file system of its own holds everything of the agent.

import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { measureMachine } from "../node/machine.ts";
import { RunningNode } from "./pod-runner.testing.ts";

const MI = 2 ** 20;
const canMount = process.getuid?.() === 0;

let disk: string;
let node: RunningNode;

beforeEach(() => {
  disk = mkdtempSync(join(tmpdir(), "plinth-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", disk]);
  vi.stubEnv("TMPDIR", disk);
});

afterEach(async () => {
  await node.close();
  vi.unstubAllEnvs();
  execFileSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true });
});

/** Until nothing more fits. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (;;) writeSync(file, Buffer.alloc(MI / 16, 1));
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  } finally {
    closeSync(file);
  }
}

describe.skipIf(!canMount)("a node whose disk is full (needs root, to mount one)", () => {
  it("says so, ends the pod that filled it and gives its room back, and takes pods again", async () => {
    node = await RunningNode.start({
      evictionHard: { "nodefs.available": "10%" },
      evictionPressureTransitionPeriod: "5s",
      volumeStatsAggPeriod: "1s",
    });
    node.measure = async () => await measureMachine(disk, undefined);
    const modest = await node.running(await node.run());
    const volumes = [{ name: "scratch", emptyDir: {} }];
    const mounted = [
      { name: "main", image: "example.com/app:1", volumeMounts: [{ name: "scratch", mountPath: "/s" }] },
    ];
    const greedy = await node.running(await node.run({ volumes, containers: mounted }));
    // What the runtime itself knows of them: nothing of their volumes.
    node.runtime.overrides.listPodSandboxStats = () => ({
      stats: [modest, greedy].map(({ metadata: { uid, name, namespace } }) => ({
        attributes: { metadata: { uid, name, namespace, attempt: 0 } },
        linux: { memory: { workingSetBytes: { value: MI } }, containers: [] },
      })),
    });
    expect(node.pressures()).toEqual(new Set());

    const domain = node.api.client.names.ownDomain;
    fill(join(node.root, "pods", greedy.metadata.uid, "volumes", `${domain}~empty-dir`, "scratch", "big"));
    await node.until("pressure is reported", () => node.pressures().has("disk"));
    const { status } = await node.untilPod(greedy, "it is evicted", (pod) => pod.status.phase === "Failed");
    expect(status.reason).toBe("Evicted");
    expect(status.message).toMatch(/^The node was low on resource: ephemeral-storage\. Threshold quantity: 838860/);

    const refused = await node.run();
    await node.untilPod(refused, "it is refused meanwhile", (pod) => pod.status.phase === "Failed");

    await node.until("pressure is over", () => !node.pressures().has("disk"));
    expect((await node.pod(modest))?.status.phase).toBe("Running");
    const later = await node.running(await node.run());
    await node.api.client.core.v1.pods("default").delete(later.metadata.name);
    await node.gone(later);
  });
});
