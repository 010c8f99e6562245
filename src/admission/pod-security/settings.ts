// The settings of PodSecurity: what counts for namespaces whose labels say nothing, and whom no level holds for.

import { isObject, type JsonObject } from "../../base/json.ts";
import { StartError } from "../../base/start-error.ts";
import { type FieldError, fieldErrorText } from "../../meta/field-error.ts";
import { opt, s } from "../../schema/builder.ts";
import { conform } from "../../schema/conform.ts";
import { type NamespacePolicy, readDefaults } from "./levels.ts";

export interface PodSecuritySettings {
  readonly defaults: NamespacePolicy;
  readonly exempt: {
    readonly namespaces: ReadonlySet<string>;
    readonly users: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

const schema = s.struct("podsecurity.admission.config.v1.PodSecurityConfiguration", () => ({
  apiVersion: opt.string(1),
  kind: opt.string(2),
  defaults: opt.of(defaults, 3),
  exemptions: opt.of(exemptions, 4),
}));

const defaults = s.struct("podsecurity.admission.config.v1.PodSecurityDefaults", () => ({
  enforce: opt.string(1),
  "enforce-version": opt.string(2),
  audit: opt.string(3),
  "audit-version": opt.string(4),
  warn: opt.string(5),
  "warn-version": opt.string(6),
}));

const exemptions = s.struct("podsecurity.admission.config.v1.PodSecurityExemptions", () => ({
  usernames: opt.list("string", 1),
  namespaces: opt.list("string", 2),
  runtimeClasses: opt.list("string", 3),
}));

/** Fails with StartError: what is misspelt would leave pods unchecked. */
export function readPodSecuritySettings(settings: JsonObject = {}): PodSecuritySettings {
  const given = shaped(settings);
  const errors: FieldError[] = [];
  const read = readDefaults(isObject(given["defaults"]) ? given["defaults"] : {}, errors);
  if (errors.length > 0) throw new StartError(`PodSecurity: ${errors.map(fieldErrorText).join("; ")}`);
  const { namespaces, usernames, runtimeClasses } = (given["exemptions"] ?? {}) as Record<string, string[]>;
  return {
    defaults: read,
    exempt: {
      namespaces: new Set(namespaces),
      users: new Set(usernames),
      runtimeClasses: new Set(runtimeClasses),
    },
  };
}

function shaped(settings: JsonObject): JsonObject {
  try {
    const { value, unknown } = conform(settings, schema, { unknownFields: "collect", gate: () => true });
    if (unknown.length > 0) throw new Error(unknown.join(", "));
    return value as JsonObject;
  } catch (error) {
    throw new StartError(`PodSecurity: ${(error as Error).message}`);
  }
}
