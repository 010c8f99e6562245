import { describe, expect, it } from "vitest";
import type { Node } from "../../kinds/core/node.ts";
import { namesFor } from "../../meta/names.ts";
import { isMirror, mirrorOf, staticPodOf } from "./static-pod.ts";

const names = namesFor("platform");
const context = { names, gateEnabled: () => false, nowMs: Date.parse("2030-01-01T00:00:00Z"), allowPrivileged: true };
const read = (text: string, file = "/manifests/a.yaml") =>
  staticPodOf(Buffer.from(text), { names, nodeName: "node-1", file, source: "file", context });

const YAML = `
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
spec:
  containers:
  - name: main
    image: example.com/web:1
`;

describe("a pod from a file", () => {
  it("is the node's own, with defaults", () => {
    const pod = read(YAML);
    expect(pod.metadata).toMatchObject({ name: "web-node-1", namespace: "default", labels: { app: "web" } });
    expect(pod.metadata.annotations).toMatchObject({
      "platform.io/config.source": "file",
      "platform.io/config.hash": pod.metadata.uid,
      "platform.io/config.seen": "2030-01-01T00:00:00.000000Z",
    });
    expect(pod.spec).toMatchObject({ nodeName: "node-1", restartPolicy: "Always", terminationGracePeriodSeconds: 30 });
    expect(pod.spec.containers?.[0]).toMatchObject({ imagePullPolicy: "IfNotPresent", resources: {} });
    expect(pod.spec.tolerations).toContainEqual({ operator: "Exists", effect: "NoExecute" });
  });

  it("may be JSON", () => {
    const json = JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "j", namespace: "n" },
      spec: { containers: [{ name: "c", image: "x" }] },
    });
    expect(read(json).metadata).toMatchObject({ name: "j-node-1", namespace: "n" });
  });

  it("is another when it changes, or its file stands elsewhere", () => {
    const changed = YAML.replace("spec:", "spec:\n  hostNetwork: true");
    const uids = [read(YAML), read(changed), read(YAML, "/manifests/b.yaml")].map(({ metadata }) => metadata.uid);
    expect(new Set(uids).size).toBe(3);
    expect(read(YAML).metadata.uid).toBe(uids[0]);
  });

  it("is the same when its file says the same in other words", () => {
    expect(read(`# a remark\n${YAML}`).metadata.uid).toBe(read(YAML).metadata.uid);
  });

  it.each([
    ["no YAML", '{"kind": "Pod", oops'],
    ["no pod", "apiVersion: v1\nkind: ConfigMap\n"],
    ["a list", "[]"],
    ["no containers", "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {}\n"],
    ["a wrong type", "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: 5}\n"],
  ])("is refused: %s", (_, text) => {
    expect(() => read(text)).toThrow();
  });

  it("holds no more than the agent can look at at once", () => {
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);
    const labelled = (count: number) =>
      YAML.replace("{app: web}", JSON.stringify(Object.fromEntries(numbers(count).map((name) => [name, "x"]))));
    const asked = (count: number) => `${YAML}    args: ${JSON.stringify(numbers(count))}\n`;
    expect(Object.keys(read(labelled(4_096)).metadata.labels ?? {})).toHaveLength(4_096);
    expect(() => read(labelled(4_097))).toThrow("the pod holds a map of more than 4096 keys");
    expect(read(asked(32_000)).spec.containers?.[0]?.args).toHaveLength(32_000);
    expect(() => read(asked(33_000))).toThrow("the pod holds more than 32768 values");
  });

  it("is mirrored as the node's", () => {
    const pod = read(YAML);
    const mirror = mirrorOf(pod, { metadata: { name: "node-1", uid: "node-uid" } } as Node, names);
    expect(mirror.metadata.ownerReferences).toEqual([
      { apiVersion: "v1", kind: "Node", name: "node-1", uid: "node-uid", controller: true },
    ]);
    expect(mirror.metadata.annotations?.["platform.io/config.mirror"]).toBe(pod.metadata.uid);
    expect(mirror.metadata.uid).toBeUndefined();
    expect([isMirror(mirror, names), isMirror(pod, names)]).toEqual([true, false]);
  });
});
