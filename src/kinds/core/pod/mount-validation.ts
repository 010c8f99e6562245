// Where a container mounts the volumes of its pod, and which devices it opens.

import {
  type FieldError,
  forbiddenField,
  invalid,
  notFound,
  notSupported,
  required,
} from "../../../meta/field-error.ts";
import { checkRequired } from "../../meta/value-checks.ts";
import type { GoodVolumes } from "../volumes/volume.ts";
import type { Container, VolumeMount } from "./container.ts";
import { checkDescendingPath, hasBacksteps } from "./path-validation.ts";

type Mounter = Pick<Container, "volumeMounts" | "volumeDevices" | "securityContext">;

export function validateMounts(container: Mounter, field: string, volumes: GoodVolumes, errors: FieldError[]): void {
  const { volumeMounts, volumeDevices = [] } = container;
  if (volumeMounts === undefined) return;
  const paths = new Set<string>();
  const deviceNames = new Set(volumeDevices.map((device) => device.name));
  const devicePaths = new Set(volumeDevices.map((device) => device.devicePath));
  for (let index = 0; index < volumeMounts.length; index += 1) {
    const mount = volumeMounts[index]!;
    const { name, mountPath, subPath, subPathExpr } = mount;
    const at = `${field}[${index}]`;
    checkRequired(errors, `${at}.name`, name);
    if (!volumes.has(name)) errors.push(notFound(`${at}.name`, name));
    checkRequired(errors, `${at}.mountPath`, mountPath);
    if (paths.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, "must be unique"));
    paths.add(mountPath);
    if (deviceNames.has(name)) {
      errors.push(invalid(`${at}.name`, name, "must not already exist in volumeDevices"));
    }
    if (devicePaths.has(mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices"));
    }
    // From here on upstream leaves the index out.
    if (subPath) checkDescendingPath(errors, `${field}.subPath`, subPath);
    if (subPathExpr) {
      if (subPath) {
        errors.push(invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive"));
      }
      checkDescendingPath(errors, `${field}.subPathExpr`, subPathExpr);
    }
    checkPropagation(mount, `${field}.mountPropagation`, container.securityContext?.privileged === true, errors);
    checkRecursiveReadOnly(mount, `${field}.recursiveReadOnly`, errors);
  }
}

export function validateDevices(container: Mounter, field: string, volumes: GoodVolumes, errors: FieldError[]): void {
  const { volumeDevices, volumeMounts = [] } = container;
  if (volumeDevices === undefined) return;
  const paths = new Set<string>();
  const names = new Set<string>();
  const mountNames = new Set(volumeMounts.map((mount) => mount.name));
  const mountPaths = new Set(volumeMounts.map((mount) => mount.mountPath));
  volumeDevices.forEach(({ name, devicePath }, index) => {
    const at = `${field}[${index}]`;
    const volume = volumes.get(name);
    checkRequired(errors, `${at}.name`, name);
    if (names.has(name)) errors.push(invalid(`${at}.name`, name, "must be unique"));
    if (volume === undefined) errors.push(notFound(`${at}.name`, name));
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      errors.push(invalid(`${at}.name`, name, detail));
    }
    if (devicePath === "") errors.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalid(`${at}.devicePath`, devicePath, "must be unique"));
    if (hasBacksteps(devicePath)) {
      errors.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    } else paths.add(devicePath);
    if (mountNames.has(name)) {
      errors.push(invalid(`${at}.name`, name, "must not already exist in volumeMounts"));
    }
    if (mountPaths.has(devicePath)) {
      errors.push(invalid(`${at}.devicePath`, devicePath, "must not already exist as a path in volumeMounts"));
    }
    if (name !== "") names.add(name);
  });
}

const PROPAGATIONS = ["Bidirectional", "HostToContainer", "None"];

function checkPropagation(
  { mountPropagation }: VolumeMount,
  field: string,
  privileged: boolean,
  errors: FieldError[],
): void {
  if (mountPropagation === undefined) return;
  if (!PROPAGATIONS.includes(mountPropagation)) errors.push(notSupported(field, mountPropagation, PROPAGATIONS));
  if (mountPropagation === "Bidirectional" && !privileged) {
    errors.push(forbiddenField(field, "Bidirectional mount propagation is available only to privileged containers"));
  }
}

function checkRecursiveReadOnly(mount: VolumeMount, field: string, errors: FieldError[]): void {
  const { recursiveReadOnly, readOnly, mountPropagation = "None" } = mount;
  switch (recursiveReadOnly) {
    case undefined:
    case "Disabled":
      return;
    case "Enabled":
    case "IfPossible":
      if (!readOnly) errors.push(forbiddenField(field, "may only be specified when readOnly is true"));
      if (mountPropagation !== "None") {
        errors.push(forbiddenField(field, "may only be specified when mountPropagation is None or not specified"));
      }
      return;
    default:
      errors.push(notSupported(field, recursiveReadOnly, ["Disabled", "Enabled", "IfPossible"]));
  }
}
