// Trusted certificates in the volumes of pods.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import { temporaryServingCertificate } from "../../http/certificates.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
afterEach(() => node.close());

const GATES = "--feature-gates=ClusterTrustBundle=true,ClusterTrustBundleProjection=true";
const served = (version: string) => `--runtime-config=certificates.platform.io/${version}=true`;

const start = async (gates: Readonly<Record<string, boolean>>, serverFlags: readonly string[]) => {
  node = await RunningNode.start({ featureGates: gates }, "platform", undefined, [GATES, ...serverFlags]);
};
const run = (source: object) =>
  node.run({
    volumes: [{ name: "trust", projected: { sources: [{ clusterTrustBundle: { path: "ca.crt", ...source } }] } }],
    containers: [{ name: "main", image: "example.com/app:1", volumeMounts: [{ name: "trust", mountPath: "/trust" }] }],
  });
const authority = async () =>
  (await temporaryServingCertificate(["ca"], { nowMs: Date.now(), lifeMs: 3_600_000 })).caPem;
const fileOf = ({ metadata }: Stored<Pod>) => {
  const folder = `${node.api.client.names.ownDomain}~projected`;
  return readFileSync(join(node.root, "pods", metadata.uid, "volumes", folder, "trust/ca.crt"), "utf8");
};
const problem = (pod: Stored<Pod>) =>
  node.until("a reason", async () => (await node.reports(pod)).find((text) => text.includes("FailedMount")));

it("a pod waits for its bundle, and has what it holds, also when that changes or goes", async () => {
  await start({ ClusterTrustBundleProjection: true }, [served("v1beta1")]);
  const bundles = node.api.client.certificates.v1beta1.clusterTrustBundles();
  const pod = await run({ name: "trusted" });
  expect(await problem(pod)).toContain('clustertrustbundle "trusted" not found');
  const [first, second] = [await authority(), await authority()];
  await bundles.create({ metadata: { name: "trusted" }, spec: { trustBundle: first } });
  await node.running(pod);
  expect(fileOf(pod)).toBe(first);
  await bundles.patch("trusted", { merge: { spec: { trustBundle: second } } });
  await node.until("the new certificate", () => fileOf(pod) === second);
  const ofSigner = await run({ signerName: "x.test/s", labelSelector: {}, optional: true });
  await node.running(ofSigner);
  expect(fileOf(ofSigner)).toBe("");
  await bundles.create({ metadata: { name: "x.test:s:a" }, spec: { signerName: "x.test/s", trustBundle: first } });
  await node.until("the certificate of the signer", () => fileOf(ofSigner) === first);
  await bundles.delete("x.test:s:a");
  await node.until("no certificate any more", () => fileOf(ofSigner) === "");
});

it("an older version of bundles does, where the server has no other", async () => {
  await start({ ClusterTrustBundleProjection: true }, [served("v1alpha1")]);
  const trustBundle = await authority();
  const path = "/apis/certificates.platform.io/v1alpha1/clustertrustbundles";
  const body = JSON.stringify({
    apiVersion: "certificates.platform.io/v1alpha1",
    kind: "ClusterTrustBundle",
    metadata: { name: "trusted" },
    spec: { trustBundle },
  });
  const headers = { "content-type": "application/json" };
  expect((await node.api.client.transport.request({ method: "POST", path, headers, body })).status).toBe(201);
  const pod = await run({ name: "trusted" });
  await node.running(pod);
  expect(fileOf(pod)).toBe(trustBundle);
});

it("a server that has no bundles is said to have none", async () => {
  await start({ ClusterTrustBundleProjection: true }, []);
  expect(await problem(await run({ name: "trusted" }))).toContain("the API server serves no ClusterTrustBundles");
});

it("a node that does not know such volumes makes none", async () => {
  await start({}, [served("v1beta1")]);
  const message = "the projected source clusterTrustBundle is not supported on this node";
  expect(await problem(await run({ name: "trusted", optional: true }))).toContain(message);
});
