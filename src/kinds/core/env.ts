// The environment of a container and where its values come from.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { localObjectReference } from "./object-reference.ts";

export type EnvVar = ObjectOf<typeof envVar>;

export const envVar = s.struct("core.v1.EnvVar", () => ({
  name: s.string({ proto: 1 }),
  value: s.string({ proto: 2, optional: true }),
  valueFrom: s.of(envVarSource, { proto: 3, optional: true, pointer: true }),
}));

export type EnvVarSource = ObjectOf<typeof envVarSource>;

export const envVarSource = s.struct("core.v1.EnvVarSource", () => ({
  fieldRef: s.of(objectFieldSelector, { proto: 1, optional: true, pointer: true }),
  resourceFieldRef: s.of(resourceFieldSelector, { proto: 2, optional: true, pointer: true }),
  configMapKeyRef: s.of(configMapKeySelector, { proto: 3, optional: true, pointer: true }),
  secretKeyRef: s.of(secretKeySelector, { proto: 4, optional: true, pointer: true }),
  fileKeyRef: s.of(fileKeySelector, { proto: 5, optional: true, pointer: true, gate: "EnvFiles" }),
}));

export type EnvFromSource = ObjectOf<typeof envFromSource>;

export const envFromSource = s.struct("core.v1.EnvFromSource", () => ({
  prefix: s.string({ proto: 1, optional: true }),
  configMapRef: s.of(configMapEnvSource, { proto: 2, optional: true, pointer: true }),
  secretRef: s.of(secretEnvSource, { proto: 3, optional: true, pointer: true }),
}));

export type ConfigMapEnvSource = ObjectOf<typeof configMapEnvSource>;

export const configMapEnvSource = s.struct("core.v1.ConfigMapEnvSource", () => ({
  localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
  optional: s.boolean({ proto: 2, optional: true, pointer: true }),
}));

export type SecretEnvSource = ObjectOf<typeof secretEnvSource>;

export const secretEnvSource = s.struct("core.v1.SecretEnvSource", () => ({
  localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
  optional: s.boolean({ proto: 2, optional: true, pointer: true }),
}));

export type ConfigMapKeySelector = ObjectOf<typeof configMapKeySelector>;

export const configMapKeySelector = s.struct("core.v1.ConfigMapKeySelector", { mapType: "atomic" }, () => ({
  localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
  key: s.string({ proto: 2 }),
  optional: s.boolean({ proto: 3, optional: true, pointer: true }),
}));

export type SecretKeySelector = ObjectOf<typeof secretKeySelector>;

export const secretKeySelector = s.struct("core.v1.SecretKeySelector", { mapType: "atomic" }, () => ({
  localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
  key: s.string({ proto: 2 }),
  optional: s.boolean({ proto: 3, optional: true, pointer: true }),
}));

export type FileKeySelector = ObjectOf<typeof fileKeySelector>;

export const fileKeySelector = s.struct("core.v1.FileKeySelector", { mapType: "atomic" }, () => ({
  volumeName: s.string({ proto: 1 }),
  path: s.string({ proto: 2 }),
  key: s.string({ proto: 3 }),
  optional: s.boolean({ proto: 4, optional: true, pointer: true, default: false }),
}));

export type ObjectFieldSelector = ObjectOf<typeof objectFieldSelector>;

export const objectFieldSelector = s.struct("core.v1.ObjectFieldSelector", { mapType: "atomic" }, () => ({
  apiVersion: s.string({ proto: 1, optional: true }),
  fieldPath: s.string({ proto: 2 }),
}));

export type ResourceFieldSelector = ObjectOf<typeof resourceFieldSelector>;

export const resourceFieldSelector = s.struct("core.v1.ResourceFieldSelector", { mapType: "atomic" }, () => ({
  containerName: s.string({ proto: 1, optional: true }),
  resource: s.string({ proto: 2 }),
  divisor: s.quantity({ proto: 3, required: false }),
}));
