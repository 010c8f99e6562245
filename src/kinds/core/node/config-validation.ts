// Where a Node once took its configuration from. Upstream no longer acts on it, but still judges what is written.

import { type FieldError, forbiddenField, invalid } from "../../../meta/field-error.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import { internalForm } from "../../meta/internal-form.ts";
import { checkRequired } from "../../meta/value-checks.ts";
import { configMapNodeConfigSource, type Node, type NodeConfigSource, nodeConfigSource } from "./schema.ts";

export function checkNodeConfig({ spec, status }: Node, errors: FieldError[]): void {
  if (spec.configSource) checkSource(spec.configSource, "spec.configSource", false, errors);
  for (const part of ["assigned", "active", "lastKnownGood"] as const) {
    const source = status.config?.[part];
    if (source) checkSource(source, `status.config.${part}`, true, errors);
  }
}

function checkSource(source: NodeConfigSource, at: string, isStatus: boolean, errors: FieldError[]): void {
  const { configMap } = source;
  if (!configMap) {
    errors.push(invalid(at, internalForm(source, nodeConfigSource), "exactly one reference subfield must be non-nil"));
    return;
  }
  const field = `${at}.configMap`;
  for (const key of ["uid", "resourceVersion"] as const) {
    if (isStatus) checkRequired(errors, `${field}.${key}`, configMap[key]);
    else if (configMap[key]) errors.push(forbiddenField(`${field}.${key}`, `${key} must not be set in spec`));
  }
  checkFields(configMap, configMapNodeConfigSource, field, errors);
}
