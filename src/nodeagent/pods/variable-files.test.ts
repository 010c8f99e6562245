// Values of variables that come from files which containers have written.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
afterEach(() => node.close());

const start = async (gates: Readonly<Record<string, boolean>>) => {
  node = await RunningNode.start({ featureGates: gates }, "platform", undefined, ["--feature-gates=EnvFiles=true"]);
};
const run = () =>
  node.run({
    volumes: [{ name: "v", emptyDir: {} }],
    containers: [
      {
        name: "main",
        image: "example.com/app:1",
        volumeMounts: [{ name: "v", mountPath: "/v" }],
        env: [
          { name: "COLOR", valueFrom: { fileKeyRef: { volumeName: "v", path: "settings", key: "color" } } },
          { name: "NONE", valueFrom: { fileKeyRef: { volumeName: "v", path: "settings", key: "x", optional: true } } },
        ],
      },
    ],
  });
const volumeOf = ({ metadata }: Stored<Pod>) =>
  join(node.root, "pods", metadata.uid, "volumes", `${node.api.client.names.ownDomain}~empty-dir/v`);

it("a container waits for the file that it takes a variable of, and starts with what it holds", async () => {
  await start({ EnvFiles: true });
  const pod = await run();
  const { message } = await node.waiting(pod, "CreateContainerConfigError");
  expect(message).toBe(`couldn't parse env file "settings" of the volume "v": there is none`);
  writeFileSync(join(volumeOf(pod), "settings"), "# of today\ncolor = blue\n");
  await node.running(pod);
  const { envs = [] } = node.runtime.containersOf(pod.metadata.name, "main")[0]?.config ?? {};
  const values = new Map(envs.map(({ key, value }) => [key, String(value)]));
  expect(values.get("COLOR")).toBe("blue");
  expect(values.has("NONE")).toBe(false);
});

it("a node that does not know such variables starts nothing without them", async () => {
  await start({});
  const pod = await run();
  const { message } = await node.waiting(pod, "CreateContainerConfigError");
  expect(message).toBe("the source of the variable is not supported on this node");
});
