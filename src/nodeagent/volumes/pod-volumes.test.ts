import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { Metrics } from "../../base/metrics.ts";
import { nextTurn } from "../../base/next-turn.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { containerDevices, containerMounts } from "./container-mounts.ts";
import { PodVolumes, VolumeError } from "./pod-volumes.ts";
import { addVolumeGauge, StorageOperations } from "./storage-operations.ts";

let root: string;
let settings: Map<string, Uint8Array> | undefined;
let volumes: PodVolumes;
let version = 0;
let inMemory: string[];
let stale: string[];
let made: string[];
let metrics: Metrics;
let operations: StorageOperations;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plinth-volumes-"));
  inMemory = [];
  stale = [];
  made = [];
  metrics = new Metrics({ release: "1.34" });
  settings = new Map([["k", Buffer.from("v1")]]);
  operations = new StorageOperations({ metrics, clock: new FakeClock(), domain: "example.com" });
  volumes = new PodVolumes({
    podDirectory: (uid) => join(root, uid),
    domain: "example.com",
    keys: async () => (kind, name) => (kind === "ConfigMap" && name === "settings" ? settings : undefined),
    token: async (_, { audience = "api" }) => `token for ${audience}`,
    allocatable: () => ({}),
    mountMemory: async (path) => {
      if (inMemory.includes(path)) return false;
      inMemory.push(path);
      return true;
    },
    prepareOther: async (_, { name, image }) => {
      if (!image) return undefined;
      await nextTurn();
      made.push(name);
      return { path: "", readOnly: true, image: `sha256:${made.length}` };
    },
    operations,
    version: () => {
      version += 1;
      return String(version);
    },
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Named {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** With a container that mounts all of them. */
const podWith = (list: readonly Named[], spec: object = {}) => {
  const volumeMounts = list.map(({ name }) => ({ name, mountPath: `/${name}` }));
  return {
    metadata: { name: "p", namespace: "n", uid: "u" },
    spec: { containers: [{ name: "main", resources: {}, volumeMounts }], volumes: list, ...spec },
  } as unknown as Pod;
};
const prepare = (list: readonly Named[], spec: object = {}) =>
  volumes.prepare(
    podWith(list, spec),
    { hostIPs: [], podIPs: [] },
    {
      onStale: ({ message }) => stale.push(message),
    },
  );

describe("volumes of a pod", () => {
  it("are made below the pod's own directory", async () => {
    const ready = await prepare([
      { name: "e", emptyDir: {} },
      { name: "m", configMap: { name: "settings" } },
      { name: "none" },
    ]);
    expect(ready.get("e")).toMatchObject({ path: join(root, "u/volumes/example.com~empty-dir/e"), readOnly: false });
    expect(statSync(ready.get("e")!.path).mode & 0o777).toBe(0o777);
    expect(readFileSync(join(ready.get("m")!.path, "k"), "utf8")).toBe("v1");
    expect(ready.get("m")?.readOnly).toBe(true);
    expect(existsSync(ready.get("none")!.path)).toBe(true);
  });

  it("are not made that no container uses, whatever is wrong with them", async () => {
    const list = [
      { name: "missing", configMap: { name: "nosuch" } },
      { name: "e", emptyDir: {} },
    ];
    const uses = (members: object) => prepare(list, { containers: [{ name: "main" }], ...members });
    expect([...(await uses({}))]).toEqual([]);
    const volumeMounts = [{ name: "e", mountPath: "/e" }];
    for (const sort of ["initContainers", "ephemeralContainers"])
      expect([...(await uses({ [sort]: [{ name: "x", volumeMounts }] })).keys()]).toEqual(["e"]);
    const volumeDevices = [{ name: "missing", devicePath: "/dev/x" }];
    await expect(uses({ containers: [{ name: "main", volumeDevices }] })).rejects.toThrow("not found");
  });

  it("are in memory where they hold secrets, or ask for it", async () => {
    const sources = [{ serviceAccountToken: { path: "token" } }];
    const ready = await prepare([
      { name: "t", projected: { sources } },
      { name: "e", emptyDir: { medium: "Memory" } },
      { name: "d", downwardAPI: { items: [{ path: "n", fieldRef: { fieldPath: "metadata.name" } }] } },
      { name: "m", configMap: { name: "settings" } },
    ]);
    expect(inMemory.sort()).toEqual(["d", "e", "t"].map((name) => ready.get(name)?.path).sort());
  });

  it.each([
    ["", {}, 0o777],
    ["Memory", {}, 0o1777],
    ["", { fsGroup: 123 }, 0o2777],
    ["Memory", { fsGroup: 123 }, 0o3777],
  ])("that are empty, of medium %j with %j, have the mode %d", async (medium, securityContext, mode) => {
    const ready = await prepare([{ name: "e", emptyDir: { medium } }], { securityContext });
    expect(statSync(ready.get("e")!.path).mode & 0o7777).toBe(mode);
  });

  it("follow their objects", async () => {
    const list = [{ name: "m", configMap: { name: "settings" } }];
    await prepare(list);
    settings?.set("k", Buffer.from("v2"));
    const ready = await prepare(list);
    expect(readFileSync(join(ready.get("m")!.path, "k"), "utf8")).toBe("v2");
  });

  it("stay as they were when their objects are gone, and say so", async () => {
    const list = [
      { name: "m", configMap: { name: "settings" } },
      { name: "late", configMap: { name: "absent", optional: true } },
    ];
    await prepare(list);
    settings = undefined;
    const ready = await prepare(list);
    expect(readFileSync(join(ready.get("m")!.path, "k"), "utf8")).toBe("v1");
    expect(stale).toEqual(['configmap "settings" not found']);
  });

  it("are all made, or tried, before one that cannot be is told of", async () => {
    const list = [
      { name: "missing", configMap: { name: "nosuch" } },
      { name: "i", image: { reference: "x" } },
    ];
    await expect(prepare(list)).rejects.toThrow("not found");
    expect(made).toEqual(["i"]);
  });

  it("that are images are looked up once for a pod", async () => {
    const list = [{ name: "i", image: { reference: "x", pullPolicy: "Always" } }];
    for (let round = 0; round < 2; round += 1) expect((await prepare(list)).get("i")?.image).toBe("sha256:1");
  });

  it("in memory are the group's again after the machine has started anew", async () => {
    const list = [{ name: "e", emptyDir: { medium: "Memory" } }];
    const securityContext = { fsGroup: 123 };
    const path = (await prepare(list, { securityContext })).get("e")!.path;
    // Whoever uses it may say otherwise.
    chmodSync(path, 0o700);
    await prepare(list, { securityContext });
    expect(statSync(path).mode & 0o7777).toBe(0o700);
    inMemory = [];
    await prepare(list, { securityContext });
    expect(statSync(path).mode & 0o7777).toBe(0o3777);
  });

  it("hold tokens", async () => {
    const ready = await prepare([{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }]);
    expect(readFileSync(join(ready.get("t")!.path, "token"), "utf8")).toBe("token for api");
  });

  it("show paths of the node, which are looked at once", async () => {
    const list = [{ name: "h", hostPath: { path: root, type: "Directory" } }];
    expect((await prepare(list)).get("h")?.path).toBe(root);
    rmSync(root, { recursive: true });
    expect((await prepare(list)).get("h")?.path).toBe(root);
    expect(stale).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["of an object that is missing", { secret: { secretName: "absent" } }, 'secret "absent" not found'],
    [
      "of a kind that the node does not know",
      { persistentVolumeClaim: { claimName: "c" } },
      "of the kind persistentVolumeClaim, which this node agent does not support",
    ],
    ["on an unknown medium", { emptyDir: { medium: "Tape" } }, 'unknown storage medium "Tape"'],
    ["of another type of path", { hostPath: { path: "/dev/null", type: "Directory" } }, "is not a directory"],
  ])("%s cannot be made", async (_, source, message) => {
    const error = await prepare([{ name: "v", ...source }]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VolumeError);
    expect(error).toMatchObject({ volume: "v", message: expect.stringContaining(message) });
  });
});

describe("mounts of a container", () => {
  const mountsOf = async (mount: object, canRecursiveReadOnly = true) => {
    const ready = await prepare([
      { name: "e", emptyDir: {} },
      { name: "m", configMap: { name: "settings" } },
    ]);
    const container = { name: "c", resources: {}, volumeMounts: [{ mountPath: "/x", ...mount }] } as Container;
    return await containerMounts(container, {
      volumes: ready,
      environment: new Map([["A", "sub"]]),
      canRecursiveReadOnly,
      subPaths: undefined,
    });
  };

  it("are made by the runtime where the volume is an image", async () => {
    const volumeMounts = [{ name: "i", mountPath: "/x", subPath: "a" }];
    const facts = { environment: new Map<string, string>(), canRecursiveReadOnly: false, subPaths: undefined };
    const volumes = new Map([["i", { path: "", readOnly: true, image: "sha256:1" }]]);
    const mounts = await containerMounts({ name: "c", resources: {}, volumeMounts }, { ...facts, volumes });
    const image = { image: "sha256:1" };
    expect(mounts).toEqual([{ containerPath: "/x", hostPath: "", readonly: true, image, imageSubPath: "a" }]);
  });

  it.each<[string, object, object]>([
    ["a volume", { name: "e" }, { containerPath: "/x", readonly: false, propagation: "PROPAGATION_PRIVATE" }],
    ["read-only as asked", { name: "e", readOnly: true }, { readonly: true }],
    ["read-only as its kind wants", { name: "m" }, { readonly: true }],
    [
      "with later mounts",
      { name: "e", mountPropagation: "HostToContainer" },
      { propagation: "PROPAGATION_HOST_TO_CONTAINER" },
    ],
    [
      "read-only all the way down",
      { name: "e", readOnly: true, recursiveReadOnly: "Enabled" },
      { recursiveReadOnly: true },
    ],
  ])("show %s", async (_, mount, expected) => {
    expect((await mountsOf(mount))[0]).toMatchObject(expected);
  });

  it("are no devices, and devices are no mounts", async () => {
    const volumes = new Map([
      ["raw", { path: "/dev/x", readOnly: false, isDevice: true }],
      ["files", { path: root, readOnly: false }],
    ]);
    const facts = { environment: new Map<string, string>(), canRecursiveReadOnly: false, subPaths: undefined, volumes };
    const mounting = { name: "c", resources: {}, volumeMounts: [{ name: "raw", mountPath: "/x" }] };
    await expect(containerMounts(mounting, facts)).rejects.toThrow(
      "volume raw has volumeMode Block, but is specified in volumeMounts",
    );
    const devices = (name: string) =>
      containerDevices({ name: "c", resources: {}, volumeDevices: [{ name, devicePath: "/dev/data" }] }, volumes);
    expect(devices("raw")).toEqual([{ hostPath: "/dev/x", containerPath: "/dev/data", permissions: "mrw" }]);
    expect(() => devices("files")).toThrow("volume files has volumeMode Filesystem, but is specified in volumeDevices");
  });

  it("show parts of volumes, with variables", async () => {
    const [mount] = await mountsOf({ name: "e", subPathExpr: "$(A)/x" });
    expect(mount?.hostPath?.endsWith("/e/sub/x")).toBe(true);
    const [key] = await mountsOf({ name: "m", subPath: "k" });
    expect(readFileSync(key?.hostPath ?? "", "utf8")).toBe("v1");
  });

  it.each<[string, object]>([
    ['cannot find volume "absent"', { name: "absent" }],
    ["missing value for B", { name: "e", subPathExpr: "$(B)" }],
    ['failed to prepare subPath for volumeMount "e" of container "c"', { name: "e", subPath: "../m" }],
    ["recursive read-only", { name: "e", readOnly: true, recursiveReadOnly: "Enabled" }],
  ])("fail with: %s", async (message, mount) => {
    await expect(mountsOf(mount, false)).rejects.toThrow(message);
  });
});

it("monitors are told how volumes were made and taken away, and how many there are", async () => {
  const list = [
    { name: "e", emptyDir: {} },
    { name: "m", configMap: { name: "settings" } },
  ];
  const pod = podWith(list);
  addVolumeGauge(metrics, {
    operations,
    pods: () => [{ volumes: pod.spec.volumes ?? [], ready: volumes.readyOf("u") }],
  });
  const shown = async () => (await metrics.text()).split("\n");
  const count = (plugin: string, operation: string, status: string) =>
    `storage_operation_duration_seconds_count{volume_plugin="example.com/${plugin}",operation_name="${operation}",status="${status}",migrated="false"} 1`;
  await expect(prepare([{ name: "x", configMap: { name: "absent" } }])).rejects.toThrow(VolumeError);
  expect(await shown()).toContain(count("configmap", "volume_mount", "fail-unknown"));
  await prepare(list);
  const actual = (plugin: string) =>
    `volume_manager_total_volumes{plugin_name="example.com/${plugin}",state="actual_state_of_world"} 1`;
  expect(await shown()).toEqual(
    expect.arrayContaining([count("empty-dir", "volume_mount", "success"), actual("empty-dir"), actual("configmap")]),
  );
  await volumes.remove("u", async () => undefined);
  expect(await shown()).toContain(count("empty-dir", "volume_unmount", "success"));
  expect(await shown()).not.toContain(actual("empty-dir"));
});
