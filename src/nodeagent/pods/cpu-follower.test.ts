import { afterEach, beforeEach, expect, it } from "vitest";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
beforeEach(async () => {
  node = await RunningNode.start({ cpuManagerPolicy: "static", reservedSystemCPUs: "0" });
});
afterEach(() => node.close());

const whole = (cpu: string) => {
  const amounts = { cpu, memory: "64Mi" };
  return {
    containers: [{ name: "main", image: "example.com/app:1", resources: { requests: amounts, limits: amounts } }],
  };
};

it("a pod has processors for itself, and those that ran before make room for it", async () => {
  const shared = await node.run();
  await node.running(shared);
  const [first] = node.runtime.requests("createContainer");
  expect(first?.config?.linux?.resources?.cpusetCpus).toBe("0-3");
  const alone = await node.run(whole("2"));
  await node.running(alone);
  const second = node.runtime.requests("createContainer")[1];
  expect(second?.config?.linux?.resources).toMatchObject({ cpusetCpus: "2-3", cpuQuota: 0 });
  const [container] = node.runtime.containersOf(shared.metadata.name, "main");
  await node.until("the other makes room", () =>
    node.runtime
      .requests("updateContainerResources")
      .some(({ containerId, linux }) => containerId === container?.id && linux?.cpusetCpus === "0-1"),
  );
});

it("a pod that asks for more processors than are free is refused", async () => {
  const pod = await node.run(whole("4"));
  const { status } = await node.untilPod(pod, "it is refused", (each) => each.status.phase === "Failed");
  expect(status).toMatchObject({
    reason: "UnexpectedAdmissionError",
    message:
      "Pod was rejected: Allocate failed due to not enough cpus available to satisfy request: requested=4, available=3, which is unexpected",
  });
});

it("a container that cannot be told of its processors keeps no other from making room", async () => {
  const pods = [await node.run(), await node.run()];
  for (const pod of pods) await node.running(pod);
  let stuck: string | undefined;
  const told = new Set<string>();
  node.runtime.overrides.updateContainerResources = ({ containerId }) => {
    // Whichever comes first.
    stuck ??= containerId;
    if (containerId === stuck) throw new Error("the container has just ended");
    told.add(containerId);
    return {};
  };
  await node.running(await node.run(whole("2")));
  await node.until("the other makes room", () => told.size > 0);
});
