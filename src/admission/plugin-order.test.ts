import { expect, it } from "vitest";
import { ADMISSION_PLUGINS } from "../options/authorization-flags.ts";
import { chosenPlugins } from "./plugin-order.ts";

it("every plug-in of upstream can be switched on, and runs in upstream's order", () => {
  const all = chosenPlugins({ enable: [...ADMISSION_PLUGINS], disable: [] });
  expect(new Set(all)).toEqual(ADMISSION_PLUGINS);
  expect(all).toEqual([
    "AlwaysAdmit",
    "NamespaceAutoProvision",
    "NamespaceLifecycle",
    "NamespaceExists",
    "LimitPodHardAntiAffinityTopology",
    "LimitRanger",
    "ServiceAccount",
    "NodeRestriction",
    "TaintNodesByCondition",
    "AlwaysPullImages",
    "ImagePolicyWebhook",
    "PodSecurity",
    "PodNodeSelector",
    "Priority",
    "DefaultTolerationSeconds",
    "PodTolerationRestriction",
    "EventRateLimit",
    "ExtendedResourceToleration",
    "DefaultStorageClass",
    "StorageObjectInUseProtection",
    "OwnerReferencesPermissionEnforcement",
    "PersistentVolumeClaimResize",
    "RuntimeClass",
    "CertificateApproval",
    "CertificateSigning",
    "ClusterTrustBundleAttest",
    "CertificateSubjectRestriction",
    "DefaultIngressClass",
    "DenyServiceExternalIPs",
    "PodTopologyLabels",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
    "ResourceQuota",
    "AlwaysDeny",
  ]);
});

it("by default those run that upstream runs by default", () => {
  const off = chosenPlugins({ enable: [...ADMISSION_PLUGINS], disable: [] }).filter(
    (name) => !chosenPlugins({ enable: [], disable: [] }).includes(name),
  );
  expect(off).toEqual([
    "AlwaysAdmit",
    "NamespaceAutoProvision",
    "NamespaceExists",
    "LimitPodHardAntiAffinityTopology",
    "NodeRestriction",
    "AlwaysPullImages",
    "ImagePolicyWebhook",
    "PodNodeSelector",
    "PodTolerationRestriction",
    "EventRateLimit",
    "ExtendedResourceToleration",
    "OwnerReferencesPermissionEnforcement",
    "DenyServiceExternalIPs",
    "AlwaysDeny",
  ]);
});
