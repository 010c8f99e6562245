// What a CSINode must look like: a driver that has registered does not change.

import { equalJson } from "../../base/json.ts";
import { duplicate, type FieldError, invalid, required } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { checkDriverName } from "../core/persistent-volume-source-validation.ts";
import type { HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { addProblems, checkNotNegative, IMMUTABLE } from "../meta/value-checks.ts";
import { type CSINode, type CSINodeDriver, csiNodeDriver } from "./csi-node-schema.ts";

const MAX_NODE_ID_BYTES = 256;

export function validateCsiNode({ spec }: CSINode): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (spec.drivers ?? []).forEach((driver, index) => {
    const at = `spec.drivers[${index}]`;
    checkDriver(driver, at, errors);
    if (seen.has(driver.name)) errors.push(duplicate(`${at}.name`, driver.name));
    seen.add(driver.name);
  });
  return errors;
}

export function validateCsiNodeUpdate(node: CSINode, old: CSINode, { gateEnabled }: HookContext): FieldError[] {
  const errors = validateCsiNode(node);
  const mayCountAgain = gateEnabled("MutableCSINodeAllocatableCount");
  for (const before of old.spec.drivers ?? []) {
    for (const driver of node.spec.drivers ?? []) {
      if (driver.name !== before.name) continue;
      const { allocatable: _now, ...now } = driver;
      const { allocatable: _before, ...was } = before;
      if (mayCountAgain ? equalJson(now, was) : equalJson(driver, before)) continue;
      errors.push(invalid("spec.drivers", internalForm(driver, csiNodeDriver), IMMUTABLE));
    }
  }
  return errors;
}

function checkDriver(driver: CSINodeDriver, at: string, errors: FieldError[]): void {
  checkDriverName(errors, `${at}.name`, driver.name);
  const { nodeID } = driver;
  if (nodeID === "") errors.push(required(`${at}.nodeID`));
  if (Buffer.byteLength(nodeID) > MAX_NODE_ID_BYTES) {
    errors.push(invalid(`${at}.nodeID`, nodeID, `must be ${MAX_NODE_ID_BYTES} characters or less`));
  }
  checkNotNegative(errors, `${at}.allocatable.count`, driver.allocatable?.count);
  const seen = new Set<string>();
  for (const key of driver.topologyKeys ?? []) {
    if (key === "") errors.push(required(at));
    if (seen.has(key)) errors.push(duplicate(at, key));
    seen.add(key);
    addProblems(errors, at, key, qualifiedNameProblems(key));
  }
}
