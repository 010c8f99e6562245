// The environment of a container and where its values come from.

import { type ObjectOf, opt, ptr, s, shown } from "../../../schema/builder.ts";
import { localObjectReference } from "../object-reference.ts";

export type EnvVar = ObjectOf<typeof envVar>;

export const envVar = s.struct("core.v1.EnvVar", "A variable of the environment of a container.", () => ({
  name: s.string(1, "Any printable ASCII without `=`."),
  value: opt.string(
    2,
    "`$(NAME)` stands for a variable that is known by then, `$$(NAME)` for itself. Not set, empty. Not together with `valueFrom`.",
  ),
  valueFrom: ptr.of(envVarSource, 3, "Where the value comes from. Not together with `value`."),
}));

export type EnvVarSource = ObjectOf<typeof envVarSource>;

const envVarSource = s.struct(
  "core.v1.EnvVarSource",
  "Where the value of a variable comes from; exactly one member is set.",
  () => ({
    fieldRef: ptr.of(
      objectFieldSelector,
      1,
      "A field of the pod: name, namespace, uid, labels, annotations, node, service account or addresses.",
    ),
    resourceFieldRef: ptr.of(
      resourceFieldSelector,
      2,
      "A limit or request of a container: CPU, memory, ephemeral storage or huge pages.",
    ),
    configMapKeyRef: ptr.of(configMapKeySelector, 3, "One key of a ConfigMap in the namespace of the pod."),
    secretKeyRef: ptr.of(secretKeySelector, 4, "One key of a Secret in the namespace of the pod."),
    fileKeyRef: ptr.of(fileKeySelector, 5, "One variable of a file in a volume of the pod.", { gate: "EnvFiles" }),
  }),
);

export type EnvFromSource = ObjectOf<typeof envFromSource>;

export const envFromSource = s.struct(
  "core.v1.EnvFromSource",
  "An object of whose keys every one becomes a variable.",
  () => ({
    prefix: opt.string(1, "Put in front of every key. Any printable ASCII without `=`."),
    configMapRef: ptr.of(configMapEnvSource, 2, "The ConfigMap that is read."),
    secretRef: ptr.of(secretEnvSource, 3, "The Secret that is read."),
  }),
);

const configMapEnvSource = s.struct(
  "core.v1.ConfigMapEnvSource",
  "A ConfigMap of whose keys every one becomes a variable.",
  () => ({
    localObjectReference: s.inline(localObjectReference, 1),
    optional: ptr.boolean(
      2,
      "Whether the container starts without the ConfigMap when there is none. Not set means false.",
    ),
  }),
);

const secretEnvSource = s.struct(
  "core.v1.SecretEnvSource",
  "A Secret of whose keys every one becomes a variable.",
  () => ({
    localObjectReference: s.inline(localObjectReference, 1),
    optional: ptr.boolean(
      2,
      "Whether the container starts without the Secret when there is none. Not set means false.",
    ),
  }),
);

const configMapKeySelector = s.struct(
  "core.v1.ConfigMapKeySelector",
  "One key of a ConfigMap.",
  { mapType: "atomic" },
  () => ({
    localObjectReference: s.inline(localObjectReference, 1),
    key: s.string(2, "The key whose value is taken."),
    optional: ptr.boolean(3, "Whether the ConfigMap or the key may be missing. Not set means false."),
  }),
);

const secretKeySelector = s.struct("core.v1.SecretKeySelector", "One key of a Secret.", { mapType: "atomic" }, () => ({
  localObjectReference: s.inline(localObjectReference, 1),
  key: s.string(2, "The key whose value is taken."),
  optional: ptr.boolean(3, "Whether the Secret or the key may be missing. Not set means false."),
}));

export type FileKeySelector = ObjectOf<typeof fileKeySelector>;

const fileKeySelector = s.struct(
  "core.v1.FileKeySelector",
  "One variable of a file in a volume.",
  { mapType: "atomic" },
  () => ({
    volumeName: s.string(1, "Name of the volume in the pod; the container need not mount it."),
    path: s.string(2, "Path of the file in the volume; relative and without `..`."),
    key: s.string(3, "Name of the variable in the file."),
    optional: ptr.boolean(
      4,
      "Whether the file may lack the key; the variable is then not set. The file must be there. Not set means false.",
      { default: false },
    ),
  }),
);

export type ObjectFieldSelector = ObjectOf<typeof objectFieldSelector>;

export const objectFieldSelector = s.struct(
  "core.v1.ObjectFieldSelector",
  "One field of the pod.",
  { mapType: "atomic" },
  () => ({
    apiVersion: opt.string(1, "Version in whose terms the path is written. Not set, `v1`."),
    fieldPath: s.string(2, "Path of the field, such as `metadata.name`, `spec.nodeName` or `status.podIP`."),
  }),
);

export type ResourceFieldSelector = ObjectOf<typeof resourceFieldSelector>;

export const resourceFieldSelector = s.struct(
  "core.v1.ResourceFieldSelector",
  "A limit or request of a container.",
  { mapType: "atomic" },
  () => ({
    containerName: opt.string(
      1,
      "Container that is meant. Needed in volumes; in variables, not set, it is the container itself.",
    ),
    resource: s.string(2, "What is read, such as `limits.cpu` or `requests.memory`."),
    divisor: shown.quantity(3, "Unit in which the value is told, rounded up. Not set, 1: whole cores or bytes."),
  }),
);
