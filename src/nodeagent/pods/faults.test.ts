import { truncateSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
let server: Server | undefined;
afterEach(async () => {
  await node.close();
  server?.close();
  server = undefined;
});

describe("when something goes wrong", () => {
  it("a runtime that was away is looked at again: what ended meanwhile is started, what runs is left alone", async () => {
    node = await RunningNode.start();
    const [one, two] = [await node.run(), await node.run()];
    await node.running(one);
    await node.running(two);
    const [ended] = node.runtime.containersOf(one.metadata.name, "main");
    node.runtime.hangUp();
    await node.clock.advance(5_000);
    node.runtime.exit(ended!.id, 1);
    await node.runtime.listen();
    await node.untilPod(one, "it runs again", ({ status }) => status.containerStatuses?.[0]?.restartCount === 1);
    expect(node.runtime.containersOf(two.metadata.name, "main")).toHaveLength(1);
  });

  it.each(["allocated_pods_state", "actuated_pods_state", "dra_manager_state"])(
    "a file that was cut short (%s) does not keep pods from running on",
    async (file) => {
      node = await RunningNode.start();
      const pod = await node.run();
      await node.running(pod);
      await node.stopAgent();
      try {
        truncateSync(join(node.root, file), 7);
      } catch {
        // Made only when there is something to keep: an agent without it starts too.
      }
      await node.startAgent();
      await node.until("the pod is known", () => node.runner.pods().some(({ status }) => status.phase === "Running"));
      expect(node.runtime.requests("createContainer")).toHaveLength(1);
    },
  );
});

it("pods come from an address too, and stay while nobody answers there", async () => {
  const pod = (name: string) => ({
    metadata: { name },
    spec: { containers: [{ name: "main", image: "example.com/app:1" }] },
  });
  let answer: { status: number; body: object } = { status: 200, body: { items: [pod("one"), pod("two")] } };
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(String(request.headers["x-token"]));
    response.writeHead(answer.status).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  node = await RunningNode.start({
    staticPodURL: `http://127.0.0.1:${port}/pods`,
    staticPodURLHeader: { "x-token": ["t"] },
    httpCheckFrequency: "1s",
  });
  const names = () =>
    node.runner
      .pods()
      .filter(({ status }) => status.phase === "Running")
      .map(({ metadata }) => metadata.name)
      .sort();
  await node.until("both run", () => names().length === 2);
  expect(names()).toEqual(["one-node-1", "two-node-1"]);
  answer = { status: 500, body: {} };
  const before = asked.length;
  await node.until("it is asked again", () => asked.length > before + 1);
  expect(names()).toHaveLength(2);
  answer = { status: 200, body: { items: [pod("two")] } };
  await node.until("one has gone", () => names().length === 1);
  // An agent that starts while nobody answers does not know that the other is one of its own.
  const mirror = () => node.api.client.core.v1.pods("default").find("two-node-1");
  const { metadata } = await node.until("the other is shown", mirror);
  answer = { status: 500, body: {} };
  await node.stopAgent();
  const [stops, questions] = [node.runtime.requests("stopPodSandbox").length, asked.length];
  await node.startAgent();
  await node.until("it is asked for", () => asked.length > questions + 3);
  expect(node.runtime.requests("stopPodSandbox")).toHaveLength(stops);
  expect((await mirror())?.metadata.uid).toBe(metadata.uid);
  answer = { status: 200, body: { items: [] } };
  await node.until("nothing runs", () => node.runtime.containers.size === 0);
  await node.until("nor is shown", async () => (await mirror()) === undefined);
  expect(new Set(asked)).toEqual(new Set(["t"]));
});
