// The flags of the controllers, for `plinth controller-manager` and `plinth up`.

import { boolFlag, decimalFlag, integerFlag, listFlag, pathFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";
import { electionFlags } from "../client/election-flags.ts";
import { cidrElementProblem, durationFlag } from "../meta/flag-values.ts";

const concurrent = (count: number, what: string) =>
  integerFlag({ default: count, min: 1, doc: `How many ${what} are reconciled side by side.` });

const signing = (what: "cert" | "key", signer: string) =>
  pathFlag({ default: undefined, doc: `The same as --cluster-signing-${what}-file for the signer ${signer} alone.` });

export const controllerFlags = {
  controllers: listFlag({
    placeholder: "NAME,...",
    default: ["*"],
    doc: "The controllers to run: * for all that are on by default, a name to add one, -name to leave one out.",
  }),
  useServiceAccountCredentials: boolFlag({
    default: false,
    doc: "Every controller acts as its own service account, with the rights of its own role.",
  }),
  ...electionFlags("kube-controller-manager"),
  concurrentDeploymentSyncs: concurrent(5, "Deployments"),
  concurrentReplicasetSyncs: concurrent(5, "ReplicaSets"),
  concurrentRcSyncs: concurrent(5, "ReplicationControllers"),
  concurrentStatefulsetSyncs: concurrent(5, "StatefulSets"),
  concurrentDaemonsetSyncs: concurrent(2, "DaemonSets"),
  concurrentJobSyncs: concurrent(5, "Jobs"),
  concurrentCronJobSyncs: concurrent(5, "CronJobs"),
  concurrentEndpointSyncs: concurrent(5, "Services with their Endpoints"),
  concurrentServiceEndpointSyncs: concurrent(5, "Services with their EndpointSlices"),
  mirroringConcurrentServiceEndpointSyncs: concurrent(5, "Endpoints with the slices that mirror them"),
  enableGarbageCollector: boolFlag({ default: true, doc: "What has no owner left is collected." }),
  concurrentGcSyncs: concurrent(20, "objects of the garbage collector"),
  concurrentNamespaceSyncs: concurrent(10, "Namespaces"),
  concurrentResourceQuotaSyncs: concurrent(5, "ResourceQuotas"),
  concurrentServiceaccountTokenSyncs: concurrent(5, "service account tokens"),
  concurrentTtlAfterFinishedSyncs: concurrent(5, "finished Jobs"),
  concurrentHorizontalPodAutoscalerSyncs: concurrent(5, "HorizontalPodAutoscalers"),
  concurrentEphemeralvolumeSyncs: concurrent(5, "pods with volumes of their own"),
  concurrentValidatingAdmissionPolicyStatusSyncs: concurrent(5, "ValidatingAdmissionPolicies"),
  legacyServiceAccountTokenCleanUpPeriodMs: durationFlag({
    default: "8760h0m0s",
    min: "1h",
    doc: "How long a token in a Secret may stay unused before it becomes invalid, and then before it is deleted.",
  }),
  serviceAccountPrivateKeyFile: pathFlag({
    default: undefined,
    doc: "PEM file with the key that signs service account tokens.",
  }),
  rootCaFile: pathFlag({
    default: undefined,
    doc: "PEM file with the authority of the server, published in every namespace.",
  }),
  clusterSigningCertFile: pathFlag({
    default: undefined,
    doc: "PEM file with the authority that signs certificate requests.",
  }),
  clusterSigningKeyFile: pathFlag({ default: undefined, doc: "PEM file with the key of --cluster-signing-cert-file." }),
  clusterSigningKubeletServingCertFile: signing("cert", "kubelet-serving"),
  clusterSigningKubeletServingKeyFile: signing("key", "kubelet-serving"),
  clusterSigningKubeletClientCertFile: signing("cert", "kube-apiserver-client-kubelet"),
  clusterSigningKubeletClientKeyFile: signing("key", "kube-apiserver-client-kubelet"),
  clusterSigningKubeApiserverClientCertFile: signing("cert", "kube-apiserver-client"),
  clusterSigningKubeApiserverClientKeyFile: signing("key", "kube-apiserver-client"),
  clusterSigningLegacyUnknownCertFile: signing("cert", "legacy-unknown"),
  clusterSigningLegacyUnknownKeyFile: signing("key", "legacy-unknown"),
  clusterSigningDurationMs: durationFlag({
    default: "8760h0m0s",
    min: "1s",
    doc: "The longest time that signed certificates are good for.",
  }),
  nodeMonitorPeriodMs: durationFlag({ default: "5s", min: "100ms", doc: "How often nodes are looked at." }),
  nodeMonitorGracePeriodMs: durationFlag({
    default: "50s",
    min: "1s",
    doc: "How long a node may be silent before it counts as unknown.",
  }),
  nodeStartupGracePeriodMs: durationFlag({
    default: "1m0s",
    min: "1s",
    doc: "The same for a node that has never reported.",
  }),
  nodeEvictionRate: decimalFlag({ default: 0.1, doc: "Nodes a second whose pods are evicted in a healthy zone." }),
  secondaryNodeEvictionRate: decimalFlag({ default: 0.01, doc: "The same in an unhealthy zone." }),
  unhealthyZoneThreshold: decimalFlag({
    default: 0.55,
    max: 1,
    doc: "The part of silent nodes from which on a zone is unhealthy.",
  }),
  largeClusterSizeThreshold: integerFlag({
    default: 50,
    min: 0,
    doc: "Below so many nodes an unhealthy zone evicts nothing.",
  }),
  maxEndpointsPerSlice: integerFlag({
    default: 100,
    min: 1,
    max: 1000,
    doc: "The most endpoints in one EndpointSlice.",
  }),
  mirroringMaxEndpointsPerSubset: integerFlag({
    default: 1000,
    min: 1,
    max: 1000,
    doc: "The most endpoints mirrored of one subset.",
  }),
  enableHostpathProvisioner: boolFlag({
    default: false,
    doc: "Volumes of folders below /tmp whose claims have gone are deleted with their folders on this machine.",
  }),
  terminatedPodGcThreshold: integerFlag({ default: 12500, min: 0, doc: "So many finished pods may stay; 0: all." }),
  clusterCidr: listFlag({ placeholder: "CIDR,...", problem: cidrElementProblem, doc: "The networks of pods." }),
  nodeCidrMaskSize: integerFlag({
    default: 0,
    min: 0,
    max: 128,
    doc: "The size of a node's part of --cluster-cidr, when it is one network; 0: 24, and 64 for IPv6.",
  }),
  nodeCidrMaskSizeIpv4: integerFlag({
    default: 0,
    min: 0,
    max: 32,
    doc: "The size of a node's part of the IPv4 network of --cluster-cidr; 0: 24.",
  }),
  nodeCidrMaskSizeIpv6: integerFlag({
    default: 0,
    min: 0,
    max: 128,
    doc: "The size of a node's part of the IPv6 network of --cluster-cidr; 0: 64.",
  }),
  serviceClusterIpRange: listFlag({
    placeholder: "CIDR[,CIDR]",
    maxLength: 2,
    replaces: true,
    problem: cidrElementProblem,
    doc: "The networks of Service addresses: nodes get no part of --cluster-cidr that they share.",
  }),
  allocateNodeCidrs: boolFlag({ default: false, doc: "Gives every node a part of --cluster-cidr." }),
  horizontalPodAutoscalerSyncPeriodMs: durationFlag({
    default: "15s",
    min: "1s",
    doc: "How often autoscalers look at metrics.",
  }),
  horizontalPodAutoscalerTolerance: decimalFlag({
    default: 0.1,
    doc: "How far from the target autoscalers do nothing.",
  }),
  horizontalPodAutoscalerDownscaleStabilizationMs: durationFlag({
    default: "5m0s",
    doc: "For how long the highest wish of an autoscaler holds on the way down, where it does not say it itself.",
  }),
  horizontalPodAutoscalerCpuInitializationPeriodMs: durationFlag({
    default: "5m0s",
    doc: "How long after its start the CPU of a pod counts only once it is ready.",
  }),
  horizontalPodAutoscalerInitialReadinessDelayMs: durationFlag({
    default: "30s",
    doc: "A pod that is not ready so soon after its start counts as never having been.",
  }),
  resourceQuotaSyncPeriodMs: durationFlag({
    default: "5m0s",
    min: "1s",
    doc: "How often the usage of quotas is counted anew.",
  }),
} as const;

export type ControllerOptions = OptionsOf<typeof controllerFlags>;
