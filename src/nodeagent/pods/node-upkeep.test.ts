import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
afterEach(() => node.close());

it("a log that cannot be put aside is no reason to let others grow", async () => {
  node = await RunningNode.start({ containerLogMaxSize: "1Ki", containerLogMonitorInterval: "3s" });
  const pods = [await node.run(), await node.run()];
  const folderOf = ({ metadata: { name, uid } }: Stored<Pod>) =>
    join(node.root, "logs", `default_${name}_${uid}`, "main");
  let stuck: string | undefined;
  node.runtime.overrides.reopenContainerLog = ({ containerId }) => {
    // Whichever comes first.
    stuck ??= containerId;
    if (containerId === stuck) throw new Error("the runtime says no");
    return {};
  };
  for (const pod of pods) {
    await node.running(pod);
    mkdirSync(folderOf(pod), { recursive: true });
    writeFileSync(join(folderOf(pod), "0.log"), "x".repeat(2_000));
  }
  const idOf = ({ metadata: { name } }: Stored<Pod>) => node.runtime.containersOf(name, "main")[0]?.id;
  await node.until("the other is put aside", () => {
    const other = pods.find((pod) => idOf(pod) !== stuck);
    return stuck !== undefined && readdirSync(folderOf(other!)).some((name) => name.startsWith("0.log."));
  });
});
