// The environment of a container and where its values come from.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { localObjectReference } from "./object-reference.ts";

export type EnvVar = ObjectOf<typeof envVar>;

export const envVar = s.struct("core.v1.EnvVar", { doc: "A variable of the environment of a container." }, () => ({
  name: s.string({ proto: 1, doc: "Any printable ASCII without `=`." }),
  value: s.string({
    proto: 2,
    optional: true,
    doc: "`$(NAME)` stands for a variable that is known by then, `$$(NAME)` for itself. Not set, empty. Not together with `valueFrom`.",
  }),
  valueFrom: s.of(envVarSource, {
    proto: 3,
    optional: true,
    pointer: true,
    doc: "Where the value comes from. Not together with `value`.",
  }),
}));

export type EnvVarSource = ObjectOf<typeof envVarSource>;

export const envVarSource = s.struct(
  "core.v1.EnvVarSource",
  { doc: "Where the value of a variable comes from; exactly one member is set." },
  () => ({
    fieldRef: s.of(objectFieldSelector, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "A field of the pod: name, namespace, uid, labels, annotations, node, service account or addresses.",
    }),
    resourceFieldRef: s.of(resourceFieldSelector, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "A limit or request of a container: CPU, memory, ephemeral storage or huge pages.",
    }),
    configMapKeyRef: s.of(configMapKeySelector, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "One key of a ConfigMap in the namespace of the pod.",
    }),
    secretKeyRef: s.of(secretKeySelector, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "One key of a Secret in the namespace of the pod.",
    }),
    fileKeyRef: s.of(fileKeySelector, {
      proto: 5,
      optional: true,
      pointer: true,
      gate: "EnvFiles",
      doc: "One variable of a file in a volume of the pod.",
    }),
  }),
);

export type EnvFromSource = ObjectOf<typeof envFromSource>;

export const envFromSource = s.struct(
  "core.v1.EnvFromSource",
  { doc: "An object of whose keys every one becomes a variable." },
  () => ({
    prefix: s.string({ proto: 1, optional: true, doc: "Put in front of every key. Any printable ASCII without `=`." }),
    configMapRef: s.of(configMapEnvSource, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The ConfigMap that is read.",
    }),
    secretRef: s.of(secretEnvSource, { proto: 3, optional: true, pointer: true, doc: "The Secret that is read." }),
  }),
);

export type ConfigMapEnvSource = ObjectOf<typeof configMapEnvSource>;

export const configMapEnvSource = s.struct(
  "core.v1.ConfigMapEnvSource",
  { doc: "A ConfigMap of whose keys every one becomes a variable." },
  () => ({
    localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
    optional: s.boolean({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Whether the container starts without the ConfigMap when there is none. Not set means false.",
    }),
  }),
);

export type SecretEnvSource = ObjectOf<typeof secretEnvSource>;

export const secretEnvSource = s.struct(
  "core.v1.SecretEnvSource",
  { doc: "A Secret of whose keys every one becomes a variable." },
  () => ({
    localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
    optional: s.boolean({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Whether the container starts without the Secret when there is none. Not set means false.",
    }),
  }),
);

export type ConfigMapKeySelector = ObjectOf<typeof configMapKeySelector>;

export const configMapKeySelector = s.struct(
  "core.v1.ConfigMapKeySelector",
  { doc: "One key of a ConfigMap.", mapType: "atomic" },
  () => ({
    localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
    key: s.string({ proto: 2, doc: "The key whose value is taken." }),
    optional: s.boolean({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Whether the ConfigMap or the key may be missing. Not set means false.",
    }),
  }),
);

export type SecretKeySelector = ObjectOf<typeof secretKeySelector>;

export const secretKeySelector = s.struct(
  "core.v1.SecretKeySelector",
  { doc: "One key of a Secret.", mapType: "atomic" },
  () => ({
    localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
    key: s.string({ proto: 2, doc: "The key whose value is taken." }),
    optional: s.boolean({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Whether the Secret or the key may be missing. Not set means false.",
    }),
  }),
);

export type FileKeySelector = ObjectOf<typeof fileKeySelector>;

export const fileKeySelector = s.struct(
  "core.v1.FileKeySelector",
  { doc: "One variable of a file in a volume.", mapType: "atomic" },
  () => ({
    volumeName: s.string({ proto: 1, doc: "Name of the volume in the pod; the container need not mount it." }),
    path: s.string({ proto: 2, doc: "Path of the file in the volume; relative and without `..`." }),
    key: s.string({ proto: 3, doc: "Name of the variable in the file." }),
    optional: s.boolean({
      proto: 4,
      optional: true,
      pointer: true,
      default: false,
      doc: "Whether the file or the key may be missing; the variable is then not set. Not set means false.",
    }),
  }),
);

export type ObjectFieldSelector = ObjectOf<typeof objectFieldSelector>;

export const objectFieldSelector = s.struct(
  "core.v1.ObjectFieldSelector",
  { doc: "One field of the pod.", mapType: "atomic" },
  () => ({
    apiVersion: s.string({
      proto: 1,
      optional: true,
      doc: "Version in whose terms the path is written. Not set, `v1`.",
    }),
    fieldPath: s.string({
      proto: 2,
      doc: "Path of the field, such as `metadata.name`, `spec.nodeName` or `status.podIP`.",
    }),
  }),
);

export type ResourceFieldSelector = ObjectOf<typeof resourceFieldSelector>;

export const resourceFieldSelector = s.struct(
  "core.v1.ResourceFieldSelector",
  { doc: "A limit or request of a container.", mapType: "atomic" },
  () => ({
    containerName: s.string({
      proto: 1,
      optional: true,
      doc: "Container that is meant. Needed in volumes; in variables, not set, it is the container itself.",
    }),
    resource: s.string({ proto: 2, doc: "What is read, such as `limits.cpu` or `requests.memory`." }),
    divisor: s.quantity({
      proto: 3,
      required: false,
      doc: "Unit in which the value is told, rounded up. Not set, 1: whole cores or bytes.",
    }),
  }),
);
