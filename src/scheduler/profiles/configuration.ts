// The configuration file of the scheduler: upstream's fields and defaults.

import { f, type StructOf } from "../../options/config-fields.ts";

export type SchedulerConfiguration = StructOf<typeof configurationFields>;
export type ProfileConfiguration = SchedulerConfiguration["profiles"][number];
export type ExtenderConfiguration = SchedulerConfiguration["extenders"][number];
export type PluginsConfiguration = ProfileConfiguration["plugins"];

const plugin = f.struct({ name: f.string(""), weight: f.int(0) });
const pluginSet = f.struct({ enabled: f.list(plugin), disabled: f.list(plugin) });

const plugins = f.struct({
  preEnqueue: pluginSet,
  queueSort: pluginSet,
  preFilter: pluginSet,
  filter: pluginSet,
  postFilter: pluginSet,
  preScore: pluginSet,
  score: pluginSet,
  reserve: pluginSet,
  permit: pluginSet,
  preBind: pluginSet,
  bind: pluginSet,
  postBind: pluginSet,
  /** All points that a plug-in has something to say at. */
  multiPoint: pluginSet,
});

export const profileFields = {
  schedulerName: f.string(""),
  percentageOfNodesToScore: f.int(),
  plugins,
  pluginConfig: f.list(f.struct({ name: f.string(""), args: f.json() })),
} as const;

/** Another server that is asked about pods. */
export const extenderFields = {
  urlPrefix: f.string(""),
  filterVerb: f.string(""),
  preemptVerb: f.string(""),
  prioritizeVerb: f.string(""),
  bindVerb: f.string(""),
  weight: f.int(0),
  enableHTTPS: f.bool(false),
  tlsConfig: f.struct({
    insecure: f.bool(false),
    serverName: f.string(""),
    certFile: f.string(""),
    keyFile: f.string(""),
    caFile: f.string(""),
    certData: f.string(""),
    keyData: f.string(""),
    caData: f.string(""),
  }),
  httpTimeout: f.filled(f.duration("5s")),
  nodeCacheCapable: f.bool(false),
  managedResources: f.list(f.struct({ name: f.string(""), ignoredByScheduler: f.bool(false) })),
  ignorable: f.bool(false),
} as const;

export const configurationFields = {
  parallelism: f.filled(f.int(16)),
  leaderElection: f.struct({
    leaderElect: f.bool(true),
    leaseDuration: f.filled(f.duration("15s")),
    renewDeadline: f.filled(f.duration("10s")),
    retryPeriod: f.filled(f.duration("2s")),
    resourceLock: f.filled(f.choice(["leases"], "leases")),
    resourceName: f.filled(f.string("kube-scheduler")),
    resourceNamespace: f.string(""),
  }),
  clientConnection: f.struct({
    kubeconfig: f.string(""),
    acceptContentTypes: f.string(""),
    contentType: f.string(""),
    qps: f.number(0),
    burst: f.int(0),
  }),
  enableProfiling: f.bool(true),
  enableContentionProfiling: f.bool(true),
  percentageOfNodesToScore: f.int(0),
  podInitialBackoffSeconds: f.filled(f.int(1)),
  podMaxBackoffSeconds: f.filled(f.int(10)),
  delayCacheUntilActive: f.bool(false),
  profiles: f.list(f.struct(profileFields)),
  extenders: f.list(f.struct(extenderFields)),
} as const;

/** Known, because files of clusters have them, but nothing here acts on them. */
export const FIELDS_WITHOUT_EFFECT: readonly string[] = [
  "clientConnection.acceptContentTypes",
  "clientConnection.contentType",
  "enableContentionProfiling",
  "enableProfiling",
  "parallelism",
];
