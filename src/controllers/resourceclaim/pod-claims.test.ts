import { describe, expect, it } from "vitest";
import { claimOf } from "../../kinds/resource/claim-of-pod.ts";
import type { ResourceClaimTemplate } from "../../kinds/resource/resource-claim-template.ts";
import { testPod } from "../pods-of-owner/pods.testing.ts";
import { claimFromTemplate, claimNames, isMadeFor, isPodDone } from "./pod-claims.ts";
import { claimingPod, names, testClaim } from "./resource-claim.testing.ts";

describe("the claims of a pod", () => {
  const [gpu, shared] = claimingPod().spec.resourceClaims!;

  it("are named by it, or by its status once they are made", () => {
    expect(claimOf(claimingPod(), shared!)).toEqual({ name: "s", isOwn: false, isNeedless: false });
    expect(claimOf(claimingPod(), gpu!)).toEqual({ name: undefined, isOwn: true, isNeedless: false });
    const made = claimingPod({}, { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "p-gpu-x" }] });
    expect(claimOf(made, gpu!)).toEqual({ name: "p-gpu-x", isOwn: true, isNeedless: false });
    expect(claimNames(made)).toEqual(["p-gpu-x", "s"]);
    const needless = claimingPod({}, { resourceClaimStatuses: [{ name: "gpu" }] });
    expect(claimOf(needless, gpu!)).toEqual({ name: undefined, isOwn: true, isNeedless: true });
  });

  const template = {
    spec: {
      metadata: { labels: { a: "b" }, annotations: { c: "d" } },
      spec: { devices: { requests: [{ name: "r" }] } },
    },
  } as unknown as ResourceClaimTemplate;

  it("are made from a template with its words, and go with the pod", () => {
    expect(claimFromTemplate(claimingPod({ name: "p" }), gpu!, template, names)).toEqual({
      metadata: {
        generateName: "p-gpu-",
        labels: { a: "b" },
        annotations: { c: "d", "resource.kubernetes.io/pod-claim-name": "gpu" },
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "p", uid: "uid-p", controller: true, blockOwnerDeletion: true },
        ],
      },
      spec: { devices: { requests: [{ name: "r" }] } },
    });
  });

  it("have names that fit, with a part of both names", () => {
    const podClaim = { name: "g".repeat(63), resourceClaimTemplateName: "t" };
    const prefix = claimFromTemplate(claimingPod({ name: "p".repeat(253) }), podClaim, template, names).metadata
      ?.generateName;
    expect(prefix).toMatch(/^p{40,46}-g{10,12}-$/);
    expect(prefix!.length).toBeLessThanOrEqual(58);
  });

  it("are the pod's own when it controls them", () => {
    const pod = claimingPod();
    expect(isMadeFor(testClaim({ owner: pod }), pod)).toBe(true);
    expect(isMadeFor(testClaim({ owner: claimingPod({ uid: "other" }) }), pod)).toBe(false);
    expect(isMadeFor(testClaim(), pod)).toBe(false);
  });

  const done: [what: string, pod: Parameters<typeof testPod>[0], done: boolean][] = [
    ["runs", {}, false],
    ["has failed", { phase: "Failed" }, true],
    ["has succeeded", { phase: "Succeeded" }, true],
    ["ends on its node", { ending: true, nodeName: "n" }, false],
    ["ends and never had a node", { ending: true }, true],
  ];
  it.each(done)("are done with when the pod %s: %j", (_what, pod, is) => {
    expect(isPodDone(testPod(pod))).toBe(is);
  });
});
