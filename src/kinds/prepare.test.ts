// What happens to objects around a write, before validation.

import { describe, expect, it } from "vitest";
import { finish } from "../base/steps.ts";
import { customResourceDefinition } from "./apiextensions/custom-resource-definition.ts";
import { apiService } from "./apiregistration/api-service.ts";
import { type DaemonSet, daemonSet } from "./apps/daemon-set.ts";
import { type Deployment, deployment } from "./apps/deployment.ts";
import { job } from "./batch/job.ts";
import {
  type CertificateSigningRequest,
  certificateSigningRequest,
} from "./certificates/certificate-signing-request.ts";
import { completed, context, created, NOW } from "./complete.testing.ts";
import { namespace } from "./core/namespace.ts";
import { persistentVolumeClaim } from "./core/persistent-volume-claim.ts";
import { type Service, service } from "./core/service.ts";
import { serviceAccount } from "./core/service-account.ts";
import type { Subresource } from "./define-kind.ts";
import { type FlowSchema, flowSchema } from "./flowcontrol/flow-schema.ts";
import { all } from "./validation.testing.ts";

type ObjectSubresource<T> = Extract<Subresource<T>, { type: "object" }>;

const FOREIGN = { kind: "Archive", name: "a", apiGroup: "example.com" };
const BOTH = { dataSource: FOREIGN, dataSourceRef: FOREIGN };

describe("create", () => {
  it("begins without the status that the body has", () => {
    expect(created(deployment, { status: { replicas: 3 } }).status).toEqual({});
    expect(created(service, { status: { loadBalancer: { ingress: [{ ip: "1.1.1.1" }] } } }).status).toEqual({
      loadBalancer: {},
    });
  });

  it("gives a namespace its finalizer once", () => {
    expect(created(namespace, { metadata: { name: "a" } }).spec.finalizers).toEqual(["kubernetes"]);
    const given = created(namespace, { metadata: { name: "a" }, spec: { finalizers: ["x", "kubernetes"] } });
    expect(given.spec.finalizers).toEqual(["x", "kubernetes"]);
  });

  it("labels and selects the pods of a job by its uid", () => {
    const object = created(job, { metadata: { name: "j", uid: "u" } });
    expect(object.spec.selector).toEqual({ matchLabels: { "batch.kubernetes.io/controller-uid": "u" } });
    expect(object.spec.template.metadata.labels).toEqual({
      "job-name": "j",
      "batch.kubernetes.io/job-name": "j",
      "controller-uid": "u",
      "batch.kubernetes.io/controller-uid": "u",
    });
    expect(created(job, { spec: { manualSelector: true } }).spec.selector).toBeUndefined();
  });

  it("takes the requester of a certificate from the request", () => {
    const object = created(certificateSigningRequest, {
      spec: { username: "eve", groups: ["system:masters"], uid: "0" },
    });
    expect(object.spec).toMatchObject({ username: "ann", uid: "u1", groups: ["g"], extra: { k: ["v"] } });
  });

  it("keeps only names of the secrets of a service account", () => {
    const object = created(serviceAccount, { secrets: [{ name: "s", namespace: "n", uid: "u" }] });
    expect(object.secrets).toEqual([{ name: "s" }]);
  });

  it("says the source of a claim in both fields", () => {
    const source = { kind: "VolumeSnapshot", name: "s", apiGroup: "snapshot.storage.k8s.io" };
    expect(created(persistentVolumeClaim, { spec: { dataSource: source } }).spec.dataSourceRef).toEqual(source);
    expect(created(persistentVolumeClaim, { spec: { dataSourceRef: source } }).spec.dataSource).toEqual(source);
  });

  it.each([
    ["a foreign source that only the old field names", { dataSource: FOREIGN }, {}],
    ["nothing where the new field says what is meant", { dataSource: FOREIGN, dataSourceRef: FOREIGN }, BOTH],
    ["nothing of the old field's", { dataSourceRef: FOREIGN }, BOTH],
    ["what lies in another namespace", { dataSourceRef: { ...FOREIGN, namespace: "n" } }, {}],
  ])("drops of the sources of a claim %s", (_what, spec, expected) => {
    const { dataSource, dataSourceRef } = created(persistentVolumeClaim, { spec }).spec;
    expect({ dataSource, dataSourceRef }).toEqual(expected);
  });

  it("makes a local APIService available at once", () => {
    expect(created(apiService, {}).status.conditions).toMatchObject([
      { type: "Available", status: "True", reason: "Local", lastTransitionTime: NOW },
    ]);
    expect(created(apiService, { spec: { service: { name: "s", namespace: "n" } } }).status).toEqual({});
  });

  it("remembers every version in which custom resources were stored", () => {
    const versions = (stored: string) => ["v1", "v2"].map((name) => ({ name, storage: name === stored }));
    const old = created(customResourceDefinition, { spec: { versions: versions("v1") } });
    const updated = completed(customResourceDefinition, { spec: { versions: versions("v2") } });
    customResourceDefinition.hooks?.prepareForUpdate?.(updated, old, context);
    expect(old.status.storedVersions).toEqual(["v1"]);
    expect(updated.status.storedVersions).toEqual(["v1", "v2"]);
  });
});

describe("update", () => {
  it("keeps the status", () => {
    const old: Deployment = { ...completed(deployment, {}), status: { replicas: 3 } };
    const updated = completed(deployment, { status: { replicas: 9 } });
    deployment.hooks?.prepareForUpdate?.(updated, old, context);
    expect(updated.status).toEqual({ replicas: 3 });
  });

  it("counts the templates of a daemon set in an annotation that users cannot set", () => {
    const generation = (set: DaemonSet) => set.metadata.annotations?.["deprecated.daemonset.template.generation"];
    const old = created(daemonSet, {});
    expect(generation(old)).toBe("1");
    const same = completed(daemonSet, {
      metadata: { annotations: { "deprecated.daemonset.template.generation": "7" } },
    });
    finish(daemonSet.hooks?.prepareForUpdate?.(same, old, context));
    expect(generation(same)).toBe("1");
    const changed = completed(daemonSet, { spec: { template: { spec: { nodeName: "n" } } } });
    finish(daemonSet.hooks?.prepareForUpdate?.(changed, old, context));
    expect(generation(changed)).toBe("2");
  });

  const balanced = (): Service =>
    completed(service, {
      spec: {
        type: "LoadBalancer",
        externalTrafficPolicy: "Local",
        healthCheckNodePort: 31000,
        loadBalancerClass: "x/y",
        clusterIP: "10.0.0.1",
        clusterIPs: ["10.0.0.1"],
        ports: [{ port: 80, nodePort: 30000 }],
      },
    });

  it("drops what a service no longer needs after a change of type", () => {
    const updated = balanced();
    updated.spec.type = "ClusterIP";
    service.hooks?.prepareForUpdate?.(updated, balanced(), context);
    expect(updated.spec.ports).toEqual([{ port: 80, protocol: "TCP", targetPort: 80 }]);
    for (const key of [
      "healthCheckNodePort",
      "loadBalancerClass",
      "allocateLoadBalancerNodePorts",
      "externalTrafficPolicy",
    ] as const) {
      expect(updated.spec[key], key).toBeUndefined();
    }
    expect(updated.spec.clusterIP).toBe("10.0.0.1");
  });

  it("keeps what the writer has changed together with the type, for validation to judge", () => {
    const updated = balanced();
    updated.spec.type = "ExternalName";
    updated.spec.clusterIP = "10.0.0.2";
    service.hooks?.prepareForUpdate?.(updated, balanced(), context);
    expect(updated.spec.clusterIP).toBe("10.0.0.2");
    expect(updated.spec.clusterIPs).toBeUndefined();
  });
});

describe("the status endpoint", () => {
  it("writes status and annotations of a deployment, but neither spec nor labels", () => {
    const old = completed(deployment, { metadata: { labels: { a: "1" } }, spec: { replicas: 2 } });
    const written = completed(deployment, {
      metadata: { labels: { b: "2" }, annotations: { x: "y" } },
      spec: { replicas: 5 },
      status: { replicas: 2 },
    });
    (deployment.subresources!["status"] as ObjectSubresource<Deployment>).prepareForUpdate(written, old, context);
    expect(written.metadata).toEqual({ labels: { a: "1" }, annotations: { x: "y" } });
    expect(written.spec).toEqual(old.spec);
    expect(written.status).toEqual({ replicas: 2 });
  });

  it("leaves the metadata of newer kinds alone, but what every write carries", () => {
    const old = completed(flowSchema, { metadata: { name: "f", labels: { a: "1" }, resourceVersion: "1" } });
    const written = completed(flowSchema, {
      metadata: { name: "f", labels: {}, resourceVersion: "2" },
      status: { conditions: [] },
    });
    (flowSchema.subresources!["status"] as ObjectSubresource<FlowSchema>).prepareForUpdate(written, old, context);
    expect(written.metadata).toEqual({ name: "f", labels: { a: "1" }, resourceVersion: "2" });
  });

  it("of a certificate request does not approve, and the approval endpoint does not sign", () => {
    const { status, approval } = certificateSigningRequest.subresources as Record<
      string,
      ObjectSubresource<CertificateSigningRequest>
    >;
    const old = completed(certificateSigningRequest, {});
    const both = {
      status: {
        certificate: "MQ==",
        conditions: [
          { type: "Approved", status: "True" },
          { type: "Failed", status: "True" },
        ],
      },
    };
    const signed = completed(certificateSigningRequest, both);
    status!.prepareForUpdate(signed, old, context);
    expect(signed.status.conditions?.[1]).toMatchObject({
      type: "Failed",
      lastUpdateTime: NOW,
      lastTransitionTime: NOW,
    });
    expect(all(status!.validateUpdate!(signed, old, context)).map(({ detail }) => detail)).toContain(
      'updates may not add a condition of type "Approved"',
    );
    expect(signed.status.certificate).toBe("MQ==");
    const approved = completed(certificateSigningRequest, both);
    approval!.prepareForUpdate(approved, old, context);
    expect(approved.status.certificate).toBeUndefined();
    expect(approved.status.conditions).toHaveLength(2);
  });
});
