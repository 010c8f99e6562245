// The API server is away for minutes: pods run on, and what could not be told is told afterwards.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
afterEach(() => node.close());

it("while the API server is away for minutes pods run on and are started again; it hears of it afterwards", async () => {
  node = await RunningNode.start();
  const [pod, other] = [await node.run(), await node.run()];
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
