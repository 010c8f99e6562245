// The API server is away for minutes, the disk is full: pods run on, and what could not be done is done afterwards.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
afterEach(() => node.close());

it("while the API server is away for minutes pods run on and are started again; it hears of it afterwards", async () => {
  node = await RunningNode.start();
  await node.api.client.core.v1.configMaps("default").create({ metadata: { name: "settings" }, data: { k: "v" } });
  await node.api.client.node.v1.runtimeClasses().create({ metadata: { name: "boxed" }, handler: "box" });
  const volumeMounts = [{ name: "m", mountPath: "/m" }];
  const envFrom = [{ configMapRef: { name: "settings" } }];
  const mounted = {
    runtimeClassName: "boxed",
    containers: [{ name: "main", image: "example.com/app:1", volumeMounts, envFrom }],
    volumes: [{ name: "m", configMap: { name: "settings" } }],
  };
  const [pod, other] = [await node.run(mounted), await node.run()];
  await node.running(pod);
  await node.running(other);
  node.way.cut();
  const [container] = node.runtime.containersOf(pod.metadata.name, "main");
  node.runtime.exit(container!.id, 3);
  await node.until("it is started again", () => node.runtime.containersOf(pod.metadata.name, "main").length === 2);
  const manifest = { metadata: { name: "own" }, spec: { containers: [{ name: "main", image: "example.com/app:1" }] } };
  writeFileSync(join(node.manifests, "own.json"), JSON.stringify({ apiVersion: "v1", kind: "Pod", ...manifest }));
  await node.until(
    "a pod of the node's own starts",
    () => node.runtime.containersOf("own-node-1", "main").length === 1,
  );
  for (let minutes = 0; minutes < 5; minutes += 1) await node.clock.advance(60_000);
  expect(node.runtime.containersOf(other.metadata.name, "main")).toHaveLength(1);
  expect((await node.pod(pod))?.status.containerStatuses?.[0]?.restartCount).toBe(0);
  // Somebody deletes a pod that the agent cannot hear of.
  await node.api.client.core.v1.pods("default").delete(other.metadata.name);
  node.way.mend();
  const told = await node.untilPod(
    pod,
    "it is told",
    ({ status }) => status.containerStatuses?.[0]?.restartCount === 1,
  );
  expect(told.status.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(3);
  await node.gone(other);
  await node.until("its mirror is there", async () => await node.api.client.core.v1.pods("default").find("own-node-1"));
});

const ROOT = process.getuid?.() === 0;

/** Only root may mount a disk that is soon full. */
it.skipIf(!ROOT)(
  "on a full disk pods run on, new ones wait and say why, and all is well when there is room",
  async () => {
    node = await RunningNode.start();
    await node.stopAgent();
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m,nr_inodes=400", "tmpfs", node.root]);
    expect(mounted.status).toBe(0);
    mkdirSync(node.manifests);
    await node.startAgent();
    const pod = await node.run();
    await node.running(pod);
    const ballast = join(node.root, "ballast");
    const fill = spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=64k"]);
    expect(fill.status).not.toBe(0);
    mkdirSync(join(node.root, "many"));
    try {
      for (let index = 0; ; index += 1) writeFileSync(join(node.root, "many", String(index)), "");
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
    }
    const late = await node.run();
    await node.until("it says why it waits", async () => {
      await node.events(late);
      const { items } = await node.api.client.core.v1.events("default").list();
      return items.some(
        ({ involvedObject, message }) => involvedObject.uid === late.metadata.uid && message?.includes("ENOSPC"),
      );
    });
    expect((await node.pod(pod))?.status.phase).toBe("Running");
    expect((await node.pod(late))?.status.phase).toBe("Pending");
    rmSync(ballast);
    rmSync(join(node.root, "many"), { recursive: true });
    await node.running(late);
    const record = () => readFileSync(join(node.root, "allocated_pods_state"), "utf8");
    await node.until("what it got is written down", () => record().includes(late.metadata.uid));
  },
);
