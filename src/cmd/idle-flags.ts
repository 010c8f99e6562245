// Flags of upstream's components that change nothing here. They are read, so that a command line written for those components
// starts ours; what was asked for in vain is said when a component starts.

import { textFlag } from "../base/flag-values.ts";
import { type Flag, flagName } from "../base/flags.ts";
import { DIALECTS } from "../meta/names.ts";

interface IdleFlag {
  /** Why it changes nothing. */
  readonly why: string;
  /** Values that ask for what happens anyway. */
  readonly anyway?: readonly string[];
  readonly isSwitch?: boolean;
}

const LOGS = "the log is written at once, on standard error";
const SERVING = "the port serves health and metrics alone";
const LOOKUP = "authorities are never looked up in the cluster";
const CLOUD = "there is no cloud provider";
const VOLUMES = "volumes are handled as their changes come";
const CHANGES = "changes come by watch and nothing is repeated";
const METRICS = "every metric is shown as it is";
const MIGRATION = "there is nothing to migrate to";
const RECYCLER = "volumes are emptied by a pod of our own";

const COMPONENT_FLAGS = {
  profiling: { why: "profiles are not served", anyway: ["false"], isSwitch: true },
  contentionProfiling: { why: "profiles are not served", anyway: ["false"], isSwitch: true },
  kubeApiContentType: { why: "requests are JSON", anyway: ["application/json"] },
  leaderElectResourceLock: { why: "leaders hold a Lease", anyway: ["leases"] },
  authenticationSkipLookup: { why: LOOKUP, anyway: ["true"], isSwitch: true },
  authenticationTolerateLookupFailure: { why: LOOKUP, isSwitch: true },
  certDir: { why: "a certificate that is made is kept nowhere" },
  tlsSniCertKey: { why: SERVING },
  disableHttp2Serving: { why: SERVING, anyway: ["false"], isSwitch: true },
  http2MaxStreamsPerConnection: { why: SERVING },
  permitAddressSharing: { why: SERVING, anyway: ["false"], isSwitch: true },
  permitPortSharing: { why: SERVING, anyway: ["false"], isSwitch: true },
  allowMetricLabels: { why: METRICS },
  allowMetricLabelsManifest: { why: METRICS },
  disabledMetrics: { why: METRICS },
  showHiddenMetricsForVersion: { why: METRICS },
  emulatedVersion: { why: "there is one version" },
  logFlushFrequency: { why: LOGS },
  logJsonInfoBufferSize: { why: LOGS },
  logJsonSplitStream: { why: LOGS, anyway: ["false"], isSwitch: true },
  logTextInfoBufferSize: { why: LOGS },
  logTextSplitStream: { why: LOGS, anyway: ["false"], isSwitch: true },
  vmodule: { why: "-v holds for all files" },
} as const satisfies Readonly<Record<string, IdleFlag>>;

const CONTROLLER_FLAGS = {
  clusterName: { why: CLOUD, anyway: DIALECTS },
  cloudProvider: { why: CLOUD, anyway: ["", "external"] },
  cloudConfig: { why: CLOUD, anyway: [""] },
  configureCloudRoutes: { why: CLOUD, anyway: ["false"], isSwitch: true },
  routeReconciliationPeriod: { why: CLOUD },
  concurrentServiceSyncs: { why: CLOUD },
  cidrAllocatorType: { why: "nodes get parts of --cluster-cidr", anyway: ["RangeAllocator"] },
  enableLeaderMigration: { why: MIGRATION, anyway: ["false"], isSwitch: true },
  leaderMigrationConfig: { why: MIGRATION },
  minResyncPeriod: { why: CHANGES },
  namespaceSyncPeriod: { why: CHANGES },
  controllerStartInterval: { why: "controllers begin together", anyway: ["0s"] },
  endpointUpdatesBatchPeriod: { why: "changes of pods wait for nothing", anyway: ["0s"] },
  endpointsliceUpdatesBatchPeriod: { why: "changes of pods wait for nothing", anyway: ["0s"] },
  mirroringEndpointsliceUpdatesBatchPeriod: { why: "changes of Endpoints wait for nothing", anyway: ["0s"] },
  attachDetachReconcileSyncPeriod: { why: VOLUMES },
  disableAttachDetachReconcileSync: { why: VOLUMES, isSwitch: true },
  disableForceDetachOnTimeout: { why: "nothing is detached by force", anyway: ["true"], isSwitch: true },
  enableDynamicProvisioning: { why: "volumes are made by drivers", anyway: ["true"], isSwitch: true },
  externalCloudVolumePlugin: { why: CLOUD },
  flexVolumePluginDir: { why: "there are no plug-ins of that kind" },
  pvclaimbinderSyncPeriod: { why: CHANGES },
  pvRecyclerIncrementTimeoutNfs: { why: RECYCLER },
  pvRecyclerMinimumTimeoutHostpath: { why: RECYCLER },
  pvRecyclerMinimumTimeoutNfs: { why: RECYCLER },
  pvRecyclerPodTemplateFilepathHostpath: { why: RECYCLER },
  pvRecyclerPodTemplateFilepathNfs: { why: RECYCLER },
  pvRecyclerTimeoutIncrementHostpath: { why: RECYCLER },
} as const satisfies Readonly<Record<string, IdleFlag>>;

type IdleTable<Keys extends string> = Readonly<Record<Keys, Flag<string | undefined>>>;

export const idleComponentFlags: IdleTable<keyof typeof COMPONENT_FLAGS> = flagsOf(COMPONENT_FLAGS);
export const idleControllerFlags: IdleTable<keyof typeof CONTROLLER_FLAGS> = flagsOf(CONTROLLER_FLAGS);

/** One sentence for each flag that was given and asks for what is not done. */
export function idleFlagWarnings(options: Readonly<Record<string, unknown>>): string[] {
  const all: Readonly<Record<string, IdleFlag>> = { ...COMPONENT_FLAGS, ...CONTROLLER_FLAGS };
  return Object.entries(all).flatMap(([key, { why, anyway = [] }]) => {
    const value = options[key];
    if (typeof value !== "string" || anyway.includes(value)) return [];
    return [`the flag --${flagName(key)} has no effect: ${why}`];
  });
}

function flagsOf<Keys extends string>(table: Readonly<Record<Keys, IdleFlag>>): IdleTable<Keys> {
  const entries = Object.entries<IdleFlag>(table).map(([key, { why, isSwitch = false }]) => [
    key,
    { ...textFlag({ default: undefined, doc: `No effect: ${why}.` }), ...(isSwitch ? { bare: "true" } : {}) },
  ]);
  return Object.fromEntries(entries) as IdleTable<Keys>;
}
