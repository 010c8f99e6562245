// Flags: who may do what, and what is recorded. Requirements: document 2, "Resources and their fields".

import {
  boolFlag,
  choiceFlag,
  decimalFlag,
  integerFlag,
  listFlag,
  mapFlag,
  pathFlag,
  textFlag,
} from "../base/flag-values.ts";
import type { Flag } from "../base/flags.ts";
import { durationFlag } from "../meta/flag-values.ts";

const AUTHORIZATION_MODES = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"] as const;
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

export const authorizationFlags = {
  authorizationMode: listFlag({
    choices: AUTHORIZATION_MODES,
    doc: "The authorizers in order. AlwaysAllow when neither this nor --authorization-config is set.",
  }),
  authorizationConfig: pathFlag({
    default: undefined,
    doc: "File with an AuthorizationConfiguration; excludes --authorization-mode and --authorization-webhook-*.",
  }),
  authorizationPolicyFile: pathFlag({
    default: undefined,
    doc: "File of policies, one JSON object per line, for the mode ABAC.",
  }),
  authorizationWebhookConfigFile: pathFlag({
    default: undefined,
    doc: "File in kubeconfig format that says who reviews access, for the mode Webhook.",
  }),
  authorizationWebhookVersion: choiceFlag({
    default: "v1beta1",
    choices: ["v1beta1", "v1"],
    doc: "The version of the SubjectAccessReview that is sent.",
  }),
  authorizationWebhookCacheAuthorizedTtlMs: durationFlag({
    default: "5m0s",
    doc: "How long an allowance is remembered.",
  }),
  authorizationWebhookCacheUnauthorizedTtlMs: durationFlag({
    default: "30s",
    doc: "How long a refusal is remembered.",
  }),
} as const;

export const auditFlags = {
  auditPolicyFile: pathFlag({ default: undefined, doc: "File with the Policy that says what is recorded." }),
  auditLogPath: pathFlag({
    default: undefined,
    doc: "File that receives audit events, one per line; - for standard output.",
  }),
  auditLogMode: choiceFlag({
    default: "blocking",
    choices: ["blocking", "blocking-strict", "batch"],
    doc: "Whether requests wait for their audit line.",
  }),
  auditLogFormat: choiceFlag({
    default: "json",
    choices: ["legacy", "json"],
    doc: "How events are written: json, or legacy for one line of text.",
  }),
  auditLogVersion: versionFlag("written to the log"),
  auditLogMaxageDays: integerFlag({ default: 366, doc: "How many days old log files are kept; 0 for ever." }),
  auditLogMaxbackup: integerFlag({ default: 100, doc: "How many old log files are kept; 0 for all." }),
  auditLogMaxsizeMb: integerFlag({
    default: 100,
    doc: "The size in megabytes at which the log file is rotated; 0 never.",
  }),
  auditLogCompress: boolFlag({ default: false, doc: "Compress old log files." }),
  auditWebhookConfigFile: pathFlag({
    default: undefined,
    doc: "File in kubeconfig format that says who receives audit events.",
  }),
  auditWebhookMode: choiceFlag({
    default: "batch",
    choices: ["batch", "blocking", "blocking-strict"],
    doc: "Whether requests wait for the receiver.",
  }),
  auditWebhookVersion: versionFlag("sent to the receiver"),
  auditWebhookInitialBackoffMs: durationFlag({ default: "10s", doc: "How long to wait before the first repetition." }),
  auditWebhookBatchBufferSize: integerFlag({
    default: 10_000,
    min: 1,
    doc: "How many events may wait for the receiver in the mode batch; more are lost.",
  }),
  auditWebhookBatchMaxSize: integerFlag({ default: 400, min: 1, doc: "How many events are sent together." }),
  auditWebhookBatchMaxWaitMs: durationFlag({
    default: "30s",
    doc: "How long an event waits for others to be sent together with.",
  }),
  auditWebhookBatchThrottleEnable: boolFlag({ default: true, doc: "Whether the batches of a second are limited." }),
  auditWebhookBatchThrottleQps: decimalFlag({
    default: 10,
    min: 0.001,
    doc: "How many batches are sent in a second, on average.",
  }),
  auditWebhookBatchThrottleBurst: integerFlag({
    default: 15,
    min: 1,
    doc: "How many batches may follow each other at once after a quiet time.",
  }),
  ...truncateFlags("auditLog"),
  ...truncateFlags("auditWebhook"),
} as const;

/** There is one, whose group has the name that the dialect gives it. */
function versionFlag(where: string) {
  return textFlag({ default: undefined, doc: `The group and version of the events that are ${where}.` });
}

/** The same for each receiver. Sizes are in bytes, which is no part of the names. */
function truncateFlags<const Sink extends string>(sink: Sink) {
  return {
    [`${sink}TruncateEnabled`]: boolFlag({ default: false, doc: "Whether long events and batches are cut." }),
    [`${sink}TruncateMaxBatchSize`]: integerFlag({
      default: 10 * 1024 * 1024,
      min: 1,
      doc: "How many bytes of events are sent together at most.",
    }),
    [`${sink}TruncateMaxEventSize`]: integerFlag({
      default: 100 * 1024,
      min: 1,
      doc: "Events of more bytes lose the objects of the request; if that is not enough, they are lost.",
    }),
  } as TruncateFlags<Sink>;
}

type TruncateFlags<Sink extends string> = Record<`${Sink}TruncateEnabled`, Flag<boolean>> &
  Record<`${Sink}TruncateMaxBatchSize` | `${Sink}TruncateMaxEventSize`, Flag<number>>;

export const admissionFlags = {
  allowPrivileged: boolFlag({ default: false, doc: "Accept pods with privileged containers. plinth up always does." }),
  enableAdmissionPlugins: listFlag({
    problem: pluginProblem,
    doc: "Admission plug-ins to run beside the default ones.",
  }),
  disableAdmissionPlugins: listFlag({ problem: pluginProblem, doc: "Default admission plug-ins not to run." }),
  admissionControlConfigFile: pathFlag({ default: undefined, doc: "File with settings of admission plug-ins." }),
  // A unit at the end of a key is no part of the flag's name, and these names end in one.
  defaultNotReadyTolerationSecondsSeconds: integerFlag({
    default: 300,
    doc: "How long pods stay on a node that is not ready, unless they say otherwise.",
  }),
  defaultUnreachableTolerationSecondsSeconds: integerFlag({
    default: 300,
    doc: "How long pods stay on a node that cannot be reached, unless they say otherwise.",
  }),
} as const;

export const featureFlags = {
  featureGates: mapFlag({
    missingValue: (gate) => `missing bool value for feature gate ${gate}: write ${gate}=true or ${gate}=false`,
    doc: "Features to switch on or off: Name=true,Other=false.",
  }),
  runtimeConfig: mapFlag({
    bareValue: "true",
    doc: "API versions and resources to serve or not: apps/v1=false, batch/v1/jobs=false, api/beta=true.",
  }),
  coordinatedLeadershipLeaseDurationMs: durationFlag({
    default: "15s",
    min: "1s",
    doc: "With CoordinatedLeaderElection: how long a silent server stays the one that chooses the leaders.",
  }),
  coordinatedLeadershipRenewDeadlineMs: durationFlag({
    default: "10s",
    min: "1s",
    doc: "How long that server tries to stay it before it stops.",
  }),
  coordinatedLeadershipRetryPeriodMs: durationFlag({
    default: "2s",
    min: "100ms",
    doc: "How long the servers wait between two tries.",
  }),
} as const;

/** Upstream's admission plug-ins. */
export const ADMISSION_PLUGINS: ReadonlySet<string> = new Set([
  "AlwaysAdmit",
  "AlwaysDeny",
  "AlwaysPullImages",
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "ClusterTrustBundleAttest",
  "DefaultIngressClass",
  "DefaultStorageClass",
  "DefaultTolerationSeconds",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "LimitPodHardAntiAffinityTopology",
  "LimitRanger",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "NamespaceLifecycle",
  "NodeRestriction",
  "OwnerReferencesPermissionEnforcement",
  "PersistentVolumeClaimResize",
  "PodNodeSelector",
  "PodSecurity",
  "PodTolerationRestriction",
  "PodTopologyLabels",
  "Priority",
  "ResourceQuota",
  "RuntimeClass",
  "ServiceAccount",
  "StorageObjectInUseProtection",
  "TaintNodesByCondition",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
]);

function pluginProblem(plugin: string): string | undefined {
  return ADMISSION_PLUGINS.has(plugin) ? undefined : "is not an admission plug-in";
}
