import { describe, expect, it } from "vitest";
import { type CopyWish, type DebugContainer, debugContainer, nodePod, podCopy } from "./debug-pods.ts";

const wanted: DebugContainer = {
  name: undefined,
  image: "tools",
  pullPolicy: undefined,
  command: [],
  argumentsOnly: false,
  env: [],
  stdin: false,
  tty: false,
  profile: "legacy",
};
const plain = { image: "tools", stdin: false, tty: false, terminationMessagePolicy: "File" };
const pod = {
  metadata: { name: "p", namespace: "shop", labels: { app: "web" }, annotations: { a: "b" } },
  spec: {
    nodeName: "n1",
    initContainers: [{ name: "init" }],
    containers: [
      { name: "web", image: "web:1", livenessProbe: {}, readinessProbe: {} },
      { name: "debugger-1", image: "x" },
    ],
    ephemeralContainers: [{ name: "debugger-2" }],
  },
};

describe("a container to look into a pod", () => {
  it.each<[what: string, change: Partial<DebugContainer>, container: object]>([
    ["has the first name that is free", {}, { ...plain, name: "debugger-3" }],
    ["runs a command", { command: ["sh", "-c"], name: "c" }, { ...plain, name: "c", command: ["sh", "-c"] }],
    [
      "passes arguments to the image",
      { command: ["-v"], argumentsOnly: true, name: "c" },
      { ...plain, name: "c", args: ["-v"] },
    ],
    [
      "may trace processes",
      { profile: "general", name: "c" },
      { ...plain, name: "c", securityContext: { capabilities: { add: ["SYS_PTRACE"] } } },
    ],
    [
      "may do everything",
      { profile: "sysadmin", name: "c" },
      { ...plain, name: "c", securityContext: { privileged: true } },
    ],
  ])("%s", (_what, change, container) => {
    expect(debugContainer({ ...wanted, ...change }, pod)).toEqual(container);
  });

  it("is refused where there is one of its name", () => {
    expect(() => debugContainer({ ...wanted, name: "init" }, pod)).toThrow('has a container "init" already');
  });
});

describe("a copy of a pod", () => {
  const keep = { labels: false, annotations: false, initContainers: true, probes: new Set<string>() };
  const wish: CopyWish = {
    name: "copy",
    container: wanted,
    images: new Map(),
    sameNode: false,
    shareProcesses: true,
    keep,
  };

  it("has the container beside the others, nothing by which it is taken for one of the set, and no probes", () => {
    expect(podCopy(pod, wish)).toEqual({
      container: "debugger-3",
      copy: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "copy", namespace: "shop" },
        spec: {
          initContainers: [{ name: "init" }],
          shareProcessNamespace: true,
          containers: [
            { name: "web", image: "web:1" },
            { name: "debugger-1", image: "x" },
            { ...plain, name: "debugger-3" },
          ],
        },
      },
    });
  });

  it("keeps what it is told to, and changes images or a container in its place", () => {
    const kept = podCopy(pod, {
      ...wish,
      container: { ...wanted, name: "web", command: ["sh"] },
      images: new Map([["*", "new"]]),
      sameNode: true,
      keep: { labels: true, annotations: true, initContainers: false, probes: new Set(["livenessProbe"]) },
    });
    expect(kept.container).toBe("web");
    expect(kept.copy).toMatchObject({
      metadata: { labels: { app: "web" }, annotations: { a: "b" } },
      spec: {
        nodeName: "n1",
        containers: [
          { name: "web", image: "tools", command: ["sh"], livenessProbe: {} },
          { name: "debugger-1", image: "new" },
        ],
      },
    });
    expect(Object.keys(kept.copy["spec"] as object)).not.toContain("initContainers");
    const { container } = podCopy(pod, { ...wish, container: undefined, images: new Map([["web", "new"]]) });
    expect(container).toBe("web");
    expect(() => podCopy(pod, { ...wish, images: new Map([["none", "new"]]) })).toThrow('container named "none"');
  });
});

describe("a pod that looks into a node", () => {
  it("shares everything with it and is taken by any node", () => {
    expect(nodePod("n1", wanted)).toMatchObject({
      metadata: { generateName: "node-debugger-n1-" },
      spec: {
        nodeName: "n1",
        hostPID: true,
        tolerations: [{ operator: "Exists" }],
        containers: [{ name: "debugger", volumeMounts: [{ mountPath: "/host" }] }],
      },
    });
  });
});
