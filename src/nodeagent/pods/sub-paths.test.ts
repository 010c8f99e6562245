import { lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
beforeEach(async () => {
  node = await RunningNode.start();
});
afterEach(() => node.close());

const ROOT = process.getuid?.() === 0;

/** Only root may mount. */
it.skipIf(!ROOT)(
  "a container keeps the part of a volume that it was shown, whatever others put in its place",
  async () => {
    const [shared, secret] = [join(node.root, "shared"), join(node.root, "secret")];
    mkdirSync(join(shared, "part"), { recursive: true });
    mkdirSync(secret);
    writeFileSync(join(shared, "part", "file"), "mine");
    writeFileSync(join(secret, "file"), "not yours");
    const volumeMounts = [{ name: "v", mountPath: "/x", subPath: "part" }];
    const pod = await node.run({
      volumes: [{ name: "v", hostPath: { path: shared } }],
      containers: [{ name: "main", image: "example.com/app:1", volumeMounts }],
    });
    await node.running(pod);
    const shown = node.runtime
      .containersOf(pod.metadata.name, "main")[0]
      ?.config.mounts.find(({ containerPath }) => containerPath === "/x")?.hostPath;
    expect(shown).toBe(join(node.root, "pods", pod.metadata.uid, "volume-subpaths/v/main/0"));
    renameSync(join(shared, "part"), join(shared, "away"));
    symlinkSync(secret, join(shared, "part"));
    expect(readFileSync(join(shown ?? "", "file"), "utf8")).toBe("mine");
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
    expect(() => lstatSync(shown ?? "")).toThrow("ENOENT");
    expect(readFileSync(join(shared, "away", "file"), "utf8")).toBe("mine");
  },
);

it.skipIf(!ROOT)("secrets of a pod are in memory, and nothing of them is left", async () => {
  const { client } = node.api;
  await client.core.v1.secrets("default").create({ metadata: { name: "key" }, data: { k: "dg==" } });
  const volumeMounts = [
    { name: "s", mountPath: "/s" },
    { name: "s", mountPath: "/one", subPath: "k" },
  ];
  const pod = await node.run({
    volumes: [{ name: "s", secret: { secretName: "key" } }],
    containers: [{ name: "main", image: "example.com/app:1", volumeMounts }],
  });
  await node.running(pod);
  const mounts = node.runtime.containersOf(pod.metadata.name, "main")[0]?.config.mounts ?? [];
  const [whole, part] = ["/s", "/one"].map((at) => mounts.find(({ containerPath }) => containerPath === at)?.hostPath);
  expect(readFileSync("/proc/self/mounts", "utf8")).toMatch(new RegExp(`^tmpfs ${whole} tmpfs `, "m"));
  expect([readFileSync(join(whole ?? "", "k"), "utf8"), readFileSync(part ?? "", "utf8")]).toEqual(["v", "v"]);
  await client.core.v1.pods("default").delete(pod.metadata.name);
  await node.gone(pod);
  expect(readFileSync("/proc/self/mounts", "utf8")).not.toContain(pod.metadata.uid);
});
