// How upstream shows a whole struct in a message: as the JSON of its own working form, where every field is written,
// with the name that it has in the source. `{"Type":"Localhost","LocalhostProfile":null}`.
// Field order and names follow the served schema; where the working form differs, the tables below say so.

import type { Json } from "../../base/json.ts";
import type { Field, ScalarSchema, Schema, StructSchema } from "../../schema/schema.ts";

export function internalForm(value: unknown, schema: StructSchema): Json {
  return structForm(value as Record<string, unknown>, schema);
}

const VOLUME_SOURCES = [
  ..."gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd quobyte iscsi flexVolume".split(" "),
  ..."cinder cephfs fc flocker azureFile vsphereVolume azureDisk photonPersistentDisk portworxVolume".split(" "),
  ..."scaleIO local storageos csi".split(" "),
] as const;

/** The members of structs whose working form has another order, or fewer of them. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  "core.v1.PodSpec": [
    ..."volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds".split(" "),
    ..."activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName automountServiceAccountToken nodeName".split(
      " ",
    ),
    ..."securityContext imagePullSecrets hostname subdomain setHostnameAsFQDN affinity schedulerName".split(" "),
    ..."tolerations hostAliases priorityClassName priority preemptionPolicy dnsConfig readinessGates".split(" "),
    ..."runtimeClassName overhead enableServiceLinks topologySpreadConstraints os schedulingGates".split(" "),
    ..."resourceClaims resources hostnameOverride".split(" "),
  ],
  "core.v1.PodSecurityContext": [
    ..."hostNetwork hostPID hostIPC shareProcessNamespace hostUsers".split(" "),
    ..."seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot supplementalGroups".split(" "),
    ..."supplementalGroupsPolicy fsGroup fsGroupChangePolicy sysctls seccompProfile appArmorProfile".split(" "),
    "seLinuxChangePolicy",
  ],
  "core.v1.Volume": [
    ..."name hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs".split(" "),
    ..."persistentVolumeClaim rbd quobyte flexVolume cinder cephfs flocker downwardAPI fc azureFile".split(" "),
    ..."configMap vsphereVolume azureDisk photonPersistentDisk projected portworxVolume scaleIO".split(" "),
    ..."storageos csi ephemeral image".split(" "),
  ],
  "core.v1.PersistentVolumeSource": VOLUME_SOURCES,
  "core.v1.PersistentVolumeSpec": [
    "capacity",
    ...VOLUME_SOURCES,
    ..."accessModes claimRef persistentVolumeReclaimPolicy storageClassName".split(" "),
    ..."mountOptions volumeMode nodeAffinity volumeAttributesClassName".split(" "),
  ],
  "core.v1.PersistentVolumeClaimSpec": [
    ..."accessModes selector resources volumeName storageClassName volumeMode dataSource dataSourceRef".split(" "),
    "volumeAttributesClassName",
  ],
};

/** What the working form keeps in the security context of a pod, the served form in its spec. */
const MOVED = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

/** Fields that are optional when served, but always there in the working form. */
const NO_POINTERS = new Set([
  "ServiceAccountTokenProjection.expirationSeconds",
  "RollingUpdateStatefulSetStrategy.partition",
]);

const NAMES: Readonly<Record<string, string>> = {
  dnsPolicy: "DNSPolicy",
  dnsConfig: "DNSConfig",
  os: "OS",
  tty: "TTY",
  ip: "IP",
  uid: "UID",
  gid: "GID",
  url: "URL",
  tls: "TLS",
  http: "HTTP",
  cidr: "CIDR",
  cidrs: "CIDRs",
  ips: "IPs",
  ipBlock: "IPBlock",
  ipMode: "IPMode",
  ipFamilies: "IPFamilies",
  ipFamilyPolicy: "IPFamilyPolicy",
  apiGroups: "APIGroups",
  apiVersions: "APIVersions",
  caBundle: "CABundle",
  fsGroupPolicy: "FSGroupPolicy",
  seLinuxMount: "SELinuxMount",
  osImage: "OSImage",
  ttlSecondsAfterFinished: "TTLSecondsAfterFinished",
  fsGroup: "FSGroup",
  fsGroupChangePolicy: "FSGroupChangePolicy",
  fsType: "FSType",
  seLinuxOptions: "SELinuxOptions",
  seLinuxChangePolicy: "SELinuxChangePolicy",
  gmsaCredentialSpecName: "GMSACredentialSpecName",
  gmsaCredentialSpec: "GMSACredentialSpec",
  httpGet: "HTTPGet",
  httpHeaders: "HTTPHeaders",
  tcpSocket: "TCPSocket",
  grpc: "GRPC",
  apiVersion: "APIVersion",
  apiGroup: "APIGroup",
  gcePersistentDisk: "GCEPersistentDisk",
  awsElasticBlockStore: "AWSElasticBlockStore",
  nfs: "NFS",
  iscsi: "ISCSI",
  rbd: "RBD",
  cephfs: "CephFS",
  fc: "FC",
  csi: "CSI",
  storageos: "StorageOS",
  pdName: "PDName",
  pdID: "PdID",
  iqn: "IQN",
  iscsiInterface: "ISCSIInterface",
  chapAuthDiscovery: "DiscoveryCHAPAuth",
  chapAuthSession: "SessionCHAPAuth",
  wwids: "WWIDs",
  diskURI: "DataDiskURI",
  sslEnabled: "SSLEnabled",
  endpoints: "EndpointsName",
  cel: "CEL",
};

// Names that only one struct has.
const OWN_NAMES: Readonly<Record<string, string>> = {
  "core.v1.RBDVolumeSource.monitors": "CephMonitors",
  "core.v1.RBDVolumeSource.image": "RBDImage",
  "core.v1.RBDVolumeSource.pool": "RBDPool",
  "core.v1.RBDVolumeSource.user": "RadosUser",
  "core.v1.RBDPersistentVolumeSource.monitors": "CephMonitors",
  "core.v1.RBDPersistentVolumeSource.image": "RBDImage",
  "core.v1.RBDPersistentVolumeSource.pool": "RBDPool",
  "core.v1.RBDPersistentVolumeSource.user": "RadosUser",
  "resource.v1.DeviceAttribute.int": "IntValue",
  "resource.v1.DeviceAttribute.bool": "BoolValue",
  "resource.v1.DeviceAttribute.string": "StringValue",
  "resource.v1.DeviceAttribute.version": "VersionValue",
};

interface FormField {
  readonly field: Field;
  readonly name: string;
  readonly pointer: boolean;
}

const PLANS = new WeakMap<StructSchema, readonly FormField[]>();

function planOf(schema: StructSchema): readonly FormField[] {
  let plan = PLANS.get(schema);
  if (plan === undefined) {
    plan = orderOf(schema).map((field) => ({
      field,
      name: OWN_NAMES[`${schema.name}.${field.name}`] ?? NAMES[field.name] ?? capitalize(field.name),
      pointer: field.pointer === true && !NO_POINTERS.has(`${schema.name?.split(".").pop()}.${field.name}`),
    }));
    PLANS.set(schema, plan);
  }
  return plan;
}

function orderOf(schema: StructSchema): Field[] {
  const order = ORDERS[schema.name ?? ""];
  if (order === undefined) return [...schema.fields.values()];
  return order.flatMap((name) => schema.fields.get(name) ?? []);
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function structForm(value: Record<string, unknown>, schema: StructSchema): Json {
  // Shared types are served as they are.
  if (schema.name?.startsWith("meta.v1.")) return value as Json;
  const form: Record<string, Json> = {};
  for (const { field, name, pointer } of planOf(schema)) {
    const member = value[field.name];
    if (schema.name === "core.v1.PodSpec" && field.name === "securityContext") {
      form[name] = securityForm(value, field.schema as StructSchema);
    } else if (isEmbeddedMetadata(schema, field)) {
      Object.assign(form, member ?? {});
    } else
      form[name] =
        member === undefined || member === null ? zeroOf(field.schema, pointer) : formOf(member, field.schema);
  }
  return form;
}

/** Templates embed the metadata: its members stand among theirs. */
const isEmbeddedMetadata = (schema: StructSchema, field: Field): boolean =>
  field.name === "metadata" && /Template(?:Spec)?$/.test(schema.name ?? "");

function securityForm(spec: Record<string, unknown>, schema: StructSchema): Json {
  if (spec["securityContext"] === undefined) return null;
  const moved = Object.fromEntries(MOVED.map((name) => [name, spec[name]]));
  const form: Record<string, Json> = {};
  for (const name of MOVED) {
    const pointer = name === "shareProcessNamespace" || name === "hostUsers";
    form[capitalize(name)] = (moved[name] as Json | undefined) ?? (pointer ? null : false);
  }
  return { ...form, ...(structForm(spec["securityContext"] as Record<string, unknown>, schema) as object) };
}

function formOf(value: unknown, schema: Schema): Json {
  switch (schema.type) {
    case "struct":
      return structForm(value as Record<string, unknown>, schema);
    case "list":
      return (value as unknown[]).map((item) => formOf(item, schema.items));
    case "map": {
      const form: Record<string, Json> = {};
      for (const key of Object.keys(value as object).sort()) {
        Object.defineProperty(form, key, {
          value: formOf((value as Record<string, unknown>)[key], schema.values),
          enumerable: true,
        });
      }
      return form;
    }
    default:
      return value as Json;
  }
}

function zeroOf(schema: Schema, pointer: boolean): Json {
  if (pointer) return null;
  if (schema.type === "struct") return structForm({}, schema);
  return schema.type === "scalar" ? zeroScalar(schema) : null;
}

function zeroScalar({ scalar }: ScalarSchema): Json {
  switch (scalar) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "quantity":
      return "0";
    case "time":
    case "microTime":
    case "bytes":
      return null;
    case "duration":
      return "0s";
    default:
      return 0;
  }
}
