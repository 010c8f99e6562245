import { describe, expect, it } from "vitest";
import { namesFor } from "../../meta/names.ts";
import { testPod } from "../pods-of-owner/pods.testing.ts";
import { claimsOf, ordinalOf, podOfSet } from "./stateful-pod.ts";
import { testSet } from "./stateful-set.testing.ts";

const claim = (name: string, labels?: Record<string, string>) => ({
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
  spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
  status: {},
});

describe("the pod of a number", () => {
  it("has its name, labels, host name and volumes by it", () => {
    const set = testSet({ volumeClaimTemplates: [claim("data")] });
    set.spec.template.spec.volumes = [
      { name: "data", emptyDir: {} },
      { name: "tmp", emptyDir: {} },
    ];
    const { template } = set.spec;
    const { metadata, spec } = podOfSet(set, { ordinal: 2, template, revision: "web-abc" }, namesFor("kubernetes"));
    expect(metadata).toMatchObject({
      name: "web-2",
      generateName: "web-",
      labels: {
        app: "web",
        "controller-revision-hash": "web-abc",
        "statefulset.kubernetes.io/pod-name": "web-2",
        "apps.kubernetes.io/pod-index": "2",
      },
      ownerReferences: [{ kind: "StatefulSet", name: "web", controller: true }],
    });
    expect(spec).toMatchObject({ hostname: "web-2", subdomain: "web" });
    expect(spec.volumes).toEqual([
      { name: "data", persistentVolumeClaim: { claimName: "data-web-2" } },
      { name: "tmp", emptyDir: {} },
    ]);
    expect(template.spec.volumes).toHaveLength(2);
  });

  it("has claims named after the template, the set and the number, with the labels of both", () => {
    const set = testSet({ volumeClaimTemplates: [claim("data", { tier: "db" })] });
    expect(claimsOf(set, 7)).toEqual([
      {
        template: "data",
        claim: {
          metadata: { name: "data-web-7", labels: { tier: "db", app: "web" } },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      },
    ]);
  });

  const ordinals: [name: string, ordinal: number | undefined][] = [
    ["web-0", 0],
    ["web-12", 12],
    ["web-2147483647", 2147483647],
    ["web-2147483648", undefined],
    ["web-", undefined],
    ["web-01", undefined],
    ["web-x", undefined],
    ["web-1-2", undefined],
    ["webs-1", undefined],
    ["1", undefined],
  ];
  it.each(ordinals)("is told by its name: %s is %s", (name, ordinal) => {
    expect(ordinalOf(testSet(), testPod({ name }))).toBe(ordinal);
  });
});
