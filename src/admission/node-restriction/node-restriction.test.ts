// Requirements: document 2, "Node authorizer".

import { describe, expect, it } from "vitest";
import { integer, oid, sequence, set, utf8 } from "../../base/der-writer.ts";
import { namesFor } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { csrProblem } from "./certificate-requests.ts";
import { forbiddenLabels } from "./node-labels.ts";
import { ownNodeProblem } from "./own-node.ts";
import { podCertificateProblem } from "./pod-certificates.ts";

describe("labels that a node may not touch", () => {
  const names = namesFor("platform");
  it.each<[string, Record<string, string>, Record<string, string>, string[]]>([
    [
      "none of its own",
      { "platform.io/hostname": "n", "node.platform.io/x": "y", "kubelet.platform.io/x": "y" },
      {},
      [],
    ],
    ["none of other domains", { "example.com/a": "b", plain: "x" }, {}, []],
    [
      "those of the restricted domain",
      { "node-restriction.platform.io/a": "b" },
      {},
      ["node-restriction.platform.io/a"],
    ],
    ["those below it", { "x.node-restriction.platform.io/a": "b" }, {}, ["x.node-restriction.platform.io/a"]],
    [
      "others of the platform",
      { "platform.io/made-up": "x", "a.platform.io/b": "" },
      {},
      ["a.platform.io/b", "platform.io/made-up"],
    ],
    ["those it takes away", {}, { "platform.io/made-up": "x" }, ["platform.io/made-up"]],
    ["none that stay as they are", { "platform.io/made-up": "x" }, { "platform.io/made-up": "x" }, []],
  ])("are %s", (_what, labels, before, forbidden) => expect(forbiddenLabels(names, labels, before)).toEqual(forbidden));
});

/** As much of a certificate request as its subject needs. */
function requestFor(commonNames: readonly string[], change: (der: Buffer) => void = () => undefined): string {
  const attributes = commonNames.map((name) => set(sequence(oid("2.5.4.3"), utf8(name))));
  const bytes = sequence(sequence(integer(0), sequence(...attributes)));
  change(bytes);
  const body = bytes.toString("base64");
  return Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`).toString(
    "base64",
  );
}

describe("a certificate request of a node", () => {
  const names = namesFor("kubernetes");
  const ask = (signer: string, request: string) =>
    csrProblem(names, "n1", {
      operation: "CREATE",
      object: { metadata: {}, spec: { signerName: `kubernetes.io/${signer}`, request } },
    } as unknown as AdmissionRequest);
  it("may carry its own name", () => expect(ask("kubelet-serving", requestFor(["system:node:n1"]))).toBeUndefined());
  it.each([["system:node:n2"], ["admin"], ["n1"]])("may not carry another name, as %s", (name) =>
    expect(ask("kube-apiserver-client-kubelet", requestFor([name]))).toMatch(/CN=system:node:n1/),
  );
  it.each([
    ["first", ["system:node:n1", "system:node:n2"]],
    ["last", ["system:node:n2", "system:node:n1"]],
    ["twice", ["system:node:n1", "system:node:n1"]],
  ])("may not carry several names, its own %s", (_, names) =>
    expect(ask("kube-apiserver-client-kubelet", requestFor(names))).toMatch(/single CN/),
  );
  it("is looked at only for the signers of nodes", () =>
    expect(ask("legacy-unknown", requestFor(["system:node:n2"]))).toBeUndefined());
  it("that cannot be read is refused", () =>
    expect(ask("kubelet-serving", "bm9uc2Vuc2U=")).toMatch(/unable to parse csr/));
  it("is read without trust in its lengths", () => {
    const tooLong = requestFor(["system:node:n1"], (bytes) => bytes.writeUInt8(0x7f, 1));
    expect(ask("kubelet-serving", tooLong)).toMatch(/unable to parse csr/);
    expect(ask("kubelet-serving", "")).toMatch(/unable to parse csr/);
  });
});

describe("a node's change of a Node", () => {
  const names = namesFor("kubernetes");
  const source = { configMap: { name: "x" } };
  const owner = [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }];
  const label = { "node-restriction.kubernetes.io/x": "y" };
  const old = { metadata: { name: "n1" } };
  it.each<[what: string, change: object, problem: string | undefined]>([
    [
      "of another",
      { name: "n2", object: { metadata: { labels: label } } },
      'node "n1" is not allowed to modify node "n2"',
    ],
    [
      "of its labels",
      { object: { metadata: { labels: label } } },
      `is not allowed to modify labels: ${Object.keys(label)}`,
    ],
    [
      "of everything",
      { object: { metadata: { labels: label, ownerReferences: owner }, spec: { taints: [{}], configSource: source } } },
      'node "n1" is not allowed to update configSource to a new non-nil configSource',
    ],
    [
      "of taints and owners",
      { object: { metadata: { ownerReferences: owner }, spec: { taints: [{}] } } },
      'node "n1" is not allowed to modify taints',
    ],
    [
      "of owners",
      { object: { metadata: { ownerReferences: owner } } },
      'node "n1" is not allowed to modify ownerReferences',
    ],
    [
      "of a kept source",
      {
        object: { metadata: {}, spec: { configSource: source } },
        oldObject: { metadata: {}, spec: { configSource: source } },
      },
      undefined,
    ],
    [
      "that makes it, with a source",
      { operation: "CREATE", name: "", object: { metadata: { name: "n1" }, spec: { configSource: source } } },
      'node "n1" is not allowed to create pods with a non-nil configSource',
    ],
    [
      "that makes it, with labels",
      { operation: "CREATE", object: { metadata: { name: "n1", labels: label } } },
      `node "n1" is not allowed to set the following labels: ${Object.keys(label)}`,
    ],
    [
      "that makes it, owned",
      { operation: "CREATE", object: { metadata: { name: "n1", ownerReferences: owner } } },
      'node "n1" is not allowed to set ownerReferences',
    ],
    ["that ends it", { operation: "DELETE", object: undefined }, undefined],
  ])("%s", (_what, change, problem) => {
    const request = { operation: "UPDATE", name: "n1", object: old, oldObject: old, ...change };
    expect(ownNodeProblem(names, "n1", request as unknown as AdmissionRequest)).toBe(problem);
  });
});

describe("a node's request for the certificate of a pod", () => {
  const names = namesFor("kubernetes");
  const objects = new Map<string, object>([
    ["nodes//n1", { metadata: { uid: "n-uid" } }],
    ["pods/ns/p", { metadata: { uid: "p-uid" }, spec: { nodeName: "n1", serviceAccountName: "robot" } }],
    ["pods/ns/other", { metadata: { uid: "p-uid" }, spec: { nodeName: "n2", serviceAccountName: "robot" } }],
    [
      "pods/ns/mirror",
      { metadata: { uid: "p-uid", annotations: { [names.mirrorPodAnnotation]: "" } }, spec: { nodeName: "n1" } },
    ],
    ["serviceaccounts/ns/robot", { metadata: { uid: "r-uid" } }],
  ]);
  const spec = {
    nodeName: "n1",
    nodeUID: "n-uid",
    podName: "p",
    podUID: "p-uid",
    serviceAccountName: "robot",
    serviceAccountUID: "r-uid",
  };
  const ask = (change: object, operation = "CREATE", subresource = "") =>
    podCertificateProblem(
      names,
      (_group, resource, namespace, name) =>
        Promise.resolve(objects.get(`${resource}/${namespace}/${name}`) as ApiObject),
      "n1",
      {
        operation,
        subresource,
        namespace: "ns",
        object: { spec: { ...spec, ...change } },
      } as unknown as AdmissionRequest,
    );
  it("may be for one that runs on it", async () => expect(await ask({})).toBeUndefined());
  it.each<[object, RegExp]>([
    [{ nodeName: "n2" }, /NodeName="n2", which is not the requesting node "n1"/],
    [{ nodeUID: "x" }, /names node UID "x", inconsistent with the running node \("n-uid"\)/],
    [{ podUID: "x" }, /contains pod UID \("x"\) which differs from running pod "p-uid"/],
    [{ podName: "other" }, /pod "ns\/other" is not running on node "n1"/],
    [{ podName: "mirror" }, /pod "ns\/mirror" is a mirror pod/],
    [{ serviceAccountName: "root" }, /serviceAccountName \("root"\) that differs from running pod \("robot"\)/],
    [{ serviceAccountUID: "x" }, /service account UID "x", which differs from the running service account \("r-uid"\)/],
  ])("with %j is refused", async (change, words) => expect(await ask(change)).toMatch(words));
  it("names what is there", () => expect(ask({ podName: "gone" })).rejects.toMatchObject({ code: 404 }));
  it("is made, and then left to its signer", async () => {
    expect(await ask({}, "UPDATE")).toBe("unexpected operation UPDATE");
    expect(await ask({}, "CREATE", "status")).toBe("unexpected subresource status");
  });
});
