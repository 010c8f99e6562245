import { describe, expect, it } from "vitest";
import { podWith } from "../pods/runtime-pod.testing.ts";
import { apiReference } from "./api-references.ts";

const variable = (valueFrom: object) => ({ containers: [{ name: "a", env: [{ name: "A", valueFrom }] }] });
const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });

describe("a pod of the node's own names", () => {
  it.each<[object, string | undefined]>([
    [{}, undefined],
    [variable({ fieldRef: { fieldPath: "metadata.name" } }), undefined],
    [volume({ hostPath: { path: "/" } }), undefined],
    [volume({ flexVolume: { driver: "a/b" } }), undefined],
    [volume({ flexVolume: { driver: "a/b", secretRef: { name: "s" } } }), "secrets"],
    [volume({ projected: { sources: [{ downwardAPI: {} }] } }), undefined],
    [{ serviceAccountName: "s" }, "serviceaccounts"],
    [{ imagePullSecrets: [{ name: "s" }] }, "secrets"],
    [variable({ secretKeyRef: { name: "s", key: "k" } }), "secrets"],
    [{ initContainers: [{ name: "a", envFrom: [{ configMapRef: { name: "c" } }] }] }, "configmaps"],
    [{ resourceClaims: [{ name: "r" }] }, "resourceclaims"],
    [volume({ configMap: { name: "c" } }), "configmaps (via configmap volumes)"],
    [volume({ secret: { secretName: "s" } }), "secrets (via secret volumes)"],
    [volume({ csi: { driver: "d" } }), "csidrivers (via CSI volumes)"],
    [volume({ persistentVolumeClaim: { claimName: "c" } }), "persistentvolumeclaims"],
    [volume({ ephemeral: {} }), "persistentvolumeclaims (via ephemeral volumes)"],
    [volume({ projected: { sources: [{ downwardAPI: {} }, { secret: {} }] } }), "secrets (via projected volumes)"],
    [
      volume({ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }),
      "serviceaccounts (via projected volumes)",
    ],
  ])("%j: %s", (spec, reference) => {
    expect(apiReference(podWith(spec))).toBe(reference);
  });
});
