import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { namesFor } from "../../meta/names.ts";
import { GrpcChannel } from "../grpc/channel.ts";
import { DeviceManager } from "./device-manager.ts";
import { HEALTHY, registerDevices } from "./device-messages.ts";
import { PlayedPlugin } from "./played-plugin.testing.ts";

const WIDGET = "example.com/widget";

describe("the devices of plug-ins", () => {
  const clock = new FakeClock(Date.now());
  let directory: string;
  let manager: DeviceManager;
  let plugin: PlayedPlugin;
  let changes = 0;

  const newManager = () =>
    new DeviceManager({
      directory,
      names: namesFor("platform"),
      clock,
      log: silentLog,
      numaNodes: () => [0, 1],
      onChange: () => changes++,
    });

  const register = async (request: object = {}) => {
    const channel = new GrpcChannel({ socketPath: join(directory, "nodeagent.sock"), timeoutMs: 5_000, clock });
    try {
      const wanted = { version: "v1beta1", endpoint: "widget.sock", resourceName: WIDGET, ...request };
      await channel.call(registerDevices, wanted);
    } finally {
      channel.close();
    }
  };

  const counts = (capacity: number, allocatable: number) =>
    vi.waitFor(() =>
      expect(manager.contribution()).toEqual({
        capacity: { [WIDGET]: String(capacity) },
        allocatable: { [WIDGET]: String(allocatable) },
      }),
    );

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "plinth-dev-"));
    plugin = await PlayedPlugin.start(directory, "widget.sock", ["w1", "w2"]);
    manager = newManager();
    await manager.start();
  });

  afterEach(async () => {
    await manager.stop();
    plugin.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it("are counted, the healthy ones as allocatable, and the node hears of every change", async () => {
    await register();
    await counts(2, 2);
    const before = changes;
    plugin.tell([
      { id: "w1", health: HEALTHY },
      { id: "w2", health: "Unhealthy" },
    ]);
    await counts(2, 1);
    expect(changes).toBeGreaterThan(before);
  });

  it("are not healthy once the plug-in is gone, and not there after a while", async () => {
    await register();
    await counts(2, 2);
    plugin.close();
    await counts(2, 0);
    await clock.advance(300_000);
    await counts(0, 0);
  });

  it("stay when the plug-in comes back in time", async () => {
    await register();
    await counts(2, 2);
    plugin.close();
    await counts(2, 0);
    plugin = await PlayedPlugin.start(directory, "widget.sock", ["w1", "w2", "w3"]);
    await register();
    await counts(3, 3);
    await clock.advance(300_000);
    await counts(3, 3);
  });

  it.each([
    ["another version of the interface", { version: "v1alpha" }],
    ["a resource of the node's own", { resourceName: "cpu" }],
    ["a socket somewhere else", { endpoint: "../widget.sock" }],
    ["no socket", { endpoint: "" }],
  ])("are not taken with %s", async (_, request) => {
    await expect(register(request)).rejects.toMatchObject({ code: "InvalidArgument" });
    expect(manager.contribution().capacity).toEqual({});
  });

  it("go together as the plug-in prefers", async () => {
    plugin.prefers = ["w2"];
    await register();
    await counts(2, 2);
    await prepare(manager, "a", 1);
    expect(plugin.allocated).toEqual([["w2"]]);
  });

  it("go to who asks first, and again to the next when the pod has ended", async () => {
    await register();
    await counts(2, 2);
    expect(await prepare(manager, "a", 2)).toMatchObject([{ envs: { WIDGETS: "w1,w2" } }]);
    await expect(prepare(manager, "b", 1)).rejects.toThrow("not enough free devices");
    manager.release("a");
    expect(await prepare(manager, "b", 1)).toMatchObject([{ envs: { WIDGETS: "w1" } }]);
  });

  it("are given to one only when two ask at the same time", async () => {
    await register();
    await counts(2, 2);
    await Promise.all([prepare(manager, "a", 1), prepare(manager, "b", 1)]);
    expect(plugin.allocated.flat().sort()).toEqual(["w1", "w2"]);
  });

  it("are promised to a pod before its plug-in is asked, near where the pod is put", async () => {
    await register();
    plugin.tell([
      { id: "w1", health: HEALTHY, topology: { nodes: [{ id: 0 }] } },
      { id: "w2", health: HEALTHY, topology: { nodes: [{ id: 1 }] } },
    ]);
    await vi.waitFor(() => expect(manager.hints(podNeeding("a", 1), undefined).get(WIDGET)).toHaveLength(3));
    const [first, second] = [podNeeding("a", 1), podNeeding("b", 2)];
    manager.allocate(first, first.spec.containers![0]!, 2);
    expect(manager.hints(second, undefined).get(WIDGET)).toEqual([]);
    expect(() => manager.allocate(second, second.spec.containers![0]!, undefined)).toThrow(
      `requested number of devices unavailable for ${WIDGET}. Requested: 2, Available: 1`,
    );
    await manager.prepare(first, first.spec.containers![0]!);
    expect(plugin.allocated).toEqual([["w2"]]);
    const undo = manager.undoFor("uid-c");
    const third = podNeeding("c", 1);
    manager.allocate(third, third.spec.containers![0]!, undefined);
    undo();
    expect(manager.allocationsOf("uid-c", "main")).toEqual([]);
  });

  it("are free again when the plug-in refuses", async () => {
    await register();
    await counts(2, 2);
    plugin.fails = true;
    await expect(prepare(manager, "a", 2)).rejects.toThrow("the device is stuck");
    plugin.fails = false;
    expect(await prepare(manager, "b", 2)).toHaveLength(1);
  });

  it("stay with a container that starts again, also under the next agent; its plug-in hears of every start", async () => {
    await register();
    await counts(2, 2);
    await prepare(manager, "a", 1);
    await prepare(manager, "a", 1);
    expect([plugin.allocated, plugin.started]).toEqual([[["w1"]], [["w1"], ["w1"]]]);
    await manager.stop();
    manager = newManager();
    await manager.start();
    await counts(0, 0);
    expect(await prepare(manager, "a", 1)).toMatchObject([{ envs: { WIDGETS: "w1" } }]);
    await expect(prepare(manager, "b", 1)).rejects.toThrow("is not there");
    await register();
    await counts(2, 2);
    expect(await prepare(manager, "b", 1)).toMatchObject([{ envs: { WIDGETS: "w2" } }]);
  });

  it("pass from an init container to the container after it", async () => {
    await register();
    await counts(2, 2);
    await prepare(manager, "a", 2, "setup");
    expect(await prepare(manager, "a", 2)).toMatchObject([{ envs: { WIDGETS: "w1,w2" } }]);
  });

  it("are recorded in a file, and nobody else may read it or call the socket", async () => {
    await register();
    await counts(2, 2);
    await prepare(manager, "a", 1);
    const file = join(directory, "nodeagent_internal_checkpoint");
    await vi.waitFor(() => expect(readFileSync(file, "utf8")).toContain('"DeviceIDs":{"-1":["w1"]}'));
    for (const path of [file, join(directory, "nodeagent.sock")]) expect(statSync(path).mode & 0o077).toBe(0);
  });
});

function prepare(manager: DeviceManager, uid: string, count: number, name = "main") {
  const container = { name, resources: { limits: { [WIDGET]: String(count) } } };
  const pod = { metadata: { uid }, spec: { initContainers: [{ name: "setup" }], containers: [{ name: "main" }] } };
  return manager.prepare(pod as unknown as Pod, container);
}

function podNeeding(uid: string, count: number): Pod {
  const containers = [{ name: "main", resources: { limits: { [WIDGET]: String(count) } } }];
  return { metadata: { uid: `uid-${uid}` }, spec: { containers } } as unknown as Pod;
}
