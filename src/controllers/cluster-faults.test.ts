// What serves workloads (slices, certificates, claims of devices, scaling) where requests fail and controllers crash between
// any two steps.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { NAME_OID } from "../base/sign-certificate.ts";
import { testSigningRequest } from "../base/signing-request.testing.ts";
import { issueCertificate } from "../http/pki/issue-certificate.ts";
import { certificateApprovingController } from "./certificates/approving-controller.ts";
import { certificateSigningController } from "./certificates/signing-controller.ts";
import { endpointSliceController } from "./endpoint-slice/endpoint-slice-controller.ts";
import { endpointSliceMirroringController } from "./endpoint-slice-mirroring/endpoint-slice-mirroring-controller.ts";
import { endpointsController } from "./endpoints/endpoints-controller.ts";
import { survivesFaults, type World } from "./faults-between-steps.testing.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts";
import { replicaSetController } from "./replica-set/replica-set-controller.ts";
import { resourceClaimController } from "./resourceclaim/resource-claim-controller.ts";

const containers = [{ name: "c", image: "i" }];
const ADDRESSES = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"];
const HOUR_MS = 3_600_000;
/** Answers that are not only "later". */
const codes = [409, 500];

const folder = mkdtempSync(join(tmpdir(), "plinth-faults-"));
const { certificatePem, keyPem } = await issueCertificate({
  use: "authority",
  subject: { commonName: "the-authority" },
  notBeforeMs: Date.now() - HOUR_MS,
  notAfterMs: Date.now() + 9_000 * HOUR_MS,
});
writeFileSync(join(folder, "ca.crt"), certificatePem);
writeFileSync(join(folder, "ca.key"), keyPem);
afterAll(() => rmSync(folder, { recursive: true }));

const slicesOf = async ({ client }: World, service: string) =>
  (await client.discovery.v1.endpointSlices("default").list()).items.filter(
    ({ metadata }) => metadata.labels?.[client.names.serviceNameLabel] === service,
  );

survivesFaults({
  "a Service with endpoints in three slices": {
    codes,
    definitions: [endpointSliceController, endpointsController],
    flags: ["--max-endpoints-per-slice=2"],
    async start({ client }) {
      await client.core.v1.nodes().create({ metadata: { name: "n" } });
      await client.core.v1
        .services("default")
        .create({ metadata: { name: "s" }, spec: { selector: { app: "s" }, ports: [{ port: 80 }] } });
      const pods = client.core.v1.pods("default");
      for (const [index, ip] of ADDRESSES.entries()) {
        const name = `p${index}`;
        await pods.create({ metadata: { name, labels: { app: "s" } }, spec: { nodeName: "n", containers } });
        await pods.status.patch(name, { merge: { status: { podIP: ip, podIPs: [{ ip }] } } });
      }
    },
    async check(world) {
      const slices = await slicesOf(world, "s");
      const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
      expect(endpoints.flatMap(({ addresses }) => addresses ?? []).sort()).toEqual(ADDRESSES);
      expect(endpoints.every(({ conditions }) => conditions?.ready === true)).toBe(true);
      expect(slices).toHaveLength(3);
      const { subsets } = await world.client.core.v1.endpoints("default").get("s");
      expect(subsets?.flatMap(({ addresses }) => addresses ?? []).map(({ ip }) => ip)).toEqual(ADDRESSES);
    },
  },
  "Endpoints that are mirrored": {
    codes,
    definitions: [endpointSliceMirroringController],
    async start({ client }) {
      await client.core.v1.services("default").create({ metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
      const subset = (port: number, ips: readonly string[]) => ({
        addresses: ips.map((ip) => ({ ip })),
        ports: [{ name: `p${port}`, port }],
      });
      const subsets = [subset(80, ADDRESSES.slice(0, 3)), subset(81, ADDRESSES.slice(3))];
      await client.core.v1.endpoints("default").create({ metadata: { name: "s" }, subsets });
    },
    async check(world) {
      const slices = await slicesOf(world, "s");
      expect(slices).toHaveLength(2);
      const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
      expect(endpoints.flatMap(({ addresses }) => addresses ?? []).sort()).toEqual(ADDRESSES);
    },
  },
  "a certificate that is approved and signed": {
    codes,
    definitions: [certificateApprovingController, certificateSigningController],
    flags: [
      `--cluster-signing-cert-file=${join(folder, "ca.crt")}`,
      `--cluster-signing-key-file=${join(folder, "ca.key")}`,
    ],
    async start({ client }) {
      const subject = [
        [NAME_OID.organization, "system:nodes"],
        [NAME_OID.commonName, "system:node:n"],
      ] as const;
      await client.certificates.v1.certificateSigningRequests().create({
        metadata: { name: "r" },
        spec: {
          request: Buffer.from(testSigningRequest({ subject }).pem).toString("base64"),
          signerName: `${client.names.certificateSignerDomain}/kube-apiserver-client-kubelet`,
          usages: ["client auth", "digital signature"],
        },
      });
    },
    async check({ client }) {
      const { status } = await client.certificates.v1.certificateSigningRequests().get("r");
      expect(status.certificate).toBeTruthy();
      expect(status.conditions?.map(({ type }) => type)).toEqual(["Approved"]);
    },
  },
  "a claim of devices from a template": {
    codes,
    definitions: [resourceClaimController],
    async start({ client }) {
      const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
      const templates = client.devices.v1.resourceClaimTemplates("default");
      await templates.create({ metadata: { name: "t" }, spec: { spec: { devices } } });
      const claimed = ["a", "b"].map((name) => ({ name, resourceClaimTemplateName: "t" }));
      const claims = claimed.map(({ name }) => ({ name }));
      await client.core.v1.pods("default").create({
        metadata: { name: "p" },
        spec: { resourceClaims: claimed, containers: [{ name: "c", image: "i", resources: { claims } }] },
      });
    },
    async check({ client }) {
      const { items } = await client.devices.v1.resourceClaims("default").list();
      const { metadata, status } = await client.core.v1.pods("default").get("p");
      expect(items.map((claim) => claim.metadata.ownerReferences?.[0]?.uid)).toEqual([metadata.uid, metadata.uid]);
      const named = status.resourceClaimStatuses?.map(({ resourceClaimName }) => resourceClaimName);
      expect(named?.sort()).toEqual(items.map((claim) => claim.metadata.name).sort());
    },
  },
  "an autoscaler whose target has too many replicas": {
    codes,
    definitions: [horizontalPodAutoscalerController, replicaSetController],
    // Metrics, which nobody serves, are asked for every quarter of a minute.
    maxAtRest: 500,
    async start({ client }) {
      const labels = { app: "r" };
      await client.apps.v1.replicaSets("default").create({
        metadata: { name: "r" },
        spec: {
          replicas: 5,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      });
      await client.autoscaling.v2.horizontalPodAutoscalers("default").create({
        metadata: { name: "a" },
        spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r" }, maxReplicas: 3 },
      });
    },
    async check({ client, clock }) {
      await clock.advance(5_000);
      const { spec, status } = await client.apps.v1.replicaSets("default").get("r");
      expect([spec.replicas, status.replicas]).toEqual([3, 3]);
      const autoscaler = await client.autoscaling.v2.horizontalPodAutoscalers("default").get("a");
      // What it wanted, it says no more where it could not say so at once: without metrics it wants nothing.
      expect(autoscaler.status.currentReplicas).toBe(3);
      expect((await client.core.v1.pods("default").list()).items).toHaveLength(3);
    },
  },
});
