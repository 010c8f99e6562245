// Requirements: document 2, "Node authorizer".

import { describe, expect, it } from "vitest";
import { integer, oid, sequence, set, utf8 } from "../../base/der-writer.ts";
import { namesFor } from "../../meta/names.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { csrProblem } from "./certificate-requests.ts";
import { forbiddenLabels } from "./node-labels.ts";

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
  it("may not carry another node's", () =>
    expect(ask("kube-apiserver-client-kubelet", requestFor(["system:node:n2"]))).toMatch(/CN=system:node:n1/));
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
