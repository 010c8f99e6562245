// The AuthorizationConfiguration file: bytes -> checked settings, or every finding at its field.
// Requirements: document 2, "AuthorizationConfiguration file", "Limits".

import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { append } from "../../base/append.ts";
import { decodeConfigFile } from "../../codec/config-file.ts";
import { durationMs } from "../../meta/duration.ts";
import {
  duplicate,
  type FieldError,
  fieldErrorText,
  invalid,
  notSupported,
  required,
  tooMany,
} from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import type { Names } from "../../meta/names.ts";
import type { ObjectOf } from "../../schema/builder.ts";
import { MatchConditions } from "../webhook/match-conditions.ts";
import type { WebhookSettings } from "../webhook/webhook-authorizer.ts";
import { authorizationConfigurationSchema } from "./config-schema.ts";

export type AuthorizerSettings =
  | { readonly type: "Node" | "RBAC"; readonly name: string }
  | {
      readonly type: "Webhook";
      readonly name: string;
      readonly webhook: WebhookSettings;
      /** Undefined asks the review API of this process. */
      readonly kubeConfigFile: string | undefined;
    };

/** What cannot be used, in one line. */
class AuthorizationConfigError extends Error {}

const CONFIGURATION = {
  kind: "AuthorizationConfiguration",
  versions: ["v1", "v1beta1", "v1alpha1"],
  schema: authorizationConfigurationSchema,
};
const TYPES = ["Node", "RBAC", "Webhook"];
const MAX_TIMEOUT_MS = 30_000;
const MAX_MATCH_CONDITIONS = 64;
const DEFAULT_AUTHORIZED_TTL = "5m0s";
const DEFAULT_UNAUTHORIZED_TTL = "30s";

type Configuration = ObjectOf<typeof authorizationConfigurationSchema>;
type AuthorizerEntry = NonNullable<Configuration["authorizers"]>[number];
type WebhookEntry = NonNullable<AuthorizerEntry["webhook"]>;

export interface ConfigContext {
  readonly names: Names;
  /** The minor version of the API, for the expressions. */
  readonly minor: number;
  /** By path: files that have been read, and need not be there any more. */
  readonly contents?: ReadonlyMap<string, unknown>;
}

/** Fails with AuthorizationConfigError. */
export function parseAuthorizationConfig(bytes: Uint8Array, context: ConfigContext): AuthorizerSettings[] {
  const { authorizers } = decode(bytes, context.names);
  const errors: FieldError[] = [];
  const entries = authorizers ?? [];
  if (entries.length === 0) errors.push(required("authorizers", "at least one authorization mode must be defined"));
  const seenNames = new Set<string>();
  const seenTypes = new Set<string>();
  const settings = entries.map((entry, index) => {
    const field = `authorizers[${index}]`;
    const { type = "", name = "" } = entry;
    append(errors, checkNaming(type, name, field, seenNames, seenTypes));
    return readEntry(entry, field, errors, context);
  });
  if (errors.length > 0) throw new AuthorizationConfigError(errors.map(fieldErrorText).join("; "));
  return settings.filter((one): one is AuthorizerSettings => one !== undefined);
}

function decode(bytes: Uint8Array, names: Names): Configuration {
  try {
    return decodeConfigFile(bytes, CONFIGURATION, names);
  } catch (error) {
    throw new AuthorizationConfigError((error as Error).message);
  }
}

function checkNaming(type: string, name: string, field: string, names: Set<string>, types: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  if (type === "") errors.push(required(`${field}.type`));
  else if (!TYPES.includes(type)) errors.push(notSupported(`${field}.type`, type, TYPES));
  else if (type !== "Webhook" && types.has(type)) errors.push(duplicate(`${field}.type`, type));
  types.add(type);
  if (name === "") errors.push(required(`${field}.name`));
  else if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
  else {
    const problems = dns1123SubdomainProblems(name);
    if (problems.length > 0)
      errors.push(invalid(`${field}.name`, name, `authorizer name is invalid: ${problems.join(", ")}`));
  }
  names.add(name);
  return errors;
}

function readEntry(
  entry: AuthorizerEntry,
  field: string,
  errors: FieldError[],
  context: ConfigContext,
): AuthorizerSettings | undefined {
  const { type = "", name = "", webhook } = entry;
  if (type !== "Webhook") {
    if (webhook !== undefined && webhook !== null) {
      errors.push(invalid(`${field}.webhook`, "non-null", "may only be specified when type=Webhook"));
    }
    return type === "Node" || type === "RBAC" ? { type, name } : undefined;
  }
  if (webhook === undefined || webhook === null) {
    errors.push(required(`${field}.webhook`, "required when type=Webhook"));
    return undefined;
  }
  const at = `${field}.webhook`;
  const timeoutMs = readDuration(webhook.timeout, `${at}.timeout`, errors, "must be > 0s and <= 30s", MAX_TIMEOUT_MS);
  const settings: WebhookSettings = {
    version: choice(webhook.subjectAccessReviewVersion, ["v1", "v1beta1"], `${at}.subjectAccessReviewVersion`, errors),
    timeoutMs,
    authorizedTtlMs: readTtl(
      webhook.cacheAuthorizedRequests,
      webhook.authorizedTTL,
      DEFAULT_AUTHORIZED_TTL,
      `${at}.authorizedTTL`,
      errors,
    ),
    unauthorizedTtlMs: readTtl(
      webhook.cacheUnauthorizedRequests,
      webhook.unauthorizedTTL,
      DEFAULT_UNAUTHORIZED_TTL,
      `${at}.unauthorizedTTL`,
      errors,
    ),
    onFailure:
      choice(webhook.failurePolicy, ["NoOpinion", "Deny"], `${at}.failurePolicy`, errors) === "Deny"
        ? "deny"
        : "no-opinion",
    ...readConditions(webhook, at, errors, context),
  };
  return { type, name, webhook: settings, kubeConfigFile: readConnection(webhook, at, errors, context) };
}

function readConditions(
  webhook: WebhookEntry,
  at: string,
  errors: FieldError[],
  context: ConfigContext,
): Pick<WebhookSettings, "conditions"> {
  const conditions = webhook.matchConditions ?? [];
  const version = webhook.matchConditionSubjectAccessReviewVersion ?? "";
  const versionField = `${at}.matchConditionSubjectAccessReviewVersion`;
  // The specification asks for it always, upstream only where there are conditions.
  const needed = conditions.length > 0 || context.names.dialect === "platform";
  if (version === "" && needed) errors.push(required(versionField, "required if match conditions are specified"));
  else if (version !== "" && version !== "v1") errors.push(notSupported(versionField, version, ["v1"]));
  const field = `${at}.matchConditions`;
  if (conditions.length > MAX_MATCH_CONDITIONS) {
    errors.push(tooMany(field, conditions.length, MAX_MATCH_CONDITIONS));
    return {};
  }
  const seen = new Set<string>();
  const before = errors.length;
  const expressions = conditions.map(({ expression = "" }, index) => {
    const where = `${field}[${index}].expression`;
    if (expression.trim() === "") errors.push(required(where));
    else if (seen.has(expression)) errors.push(duplicate(where, expression));
    seen.add(expression);
    return expression;
  });
  if (expressions.length === 0 || errors.length > before) return {};
  const compiled = MatchConditions.compile(context.names, context.minor, expressions);
  if (compiled instanceof MatchConditions) return { conditions: compiled };
  errors.push(invalid(`${field}[${compiled.index}].expression`, expressions[compiled.index], compiled.problem));
  return {};
}

function readConnection(
  { connectionInfo }: WebhookEntry,
  at: string,
  errors: FieldError[],
  { contents }: ConfigContext,
): string | undefined {
  const { type = "", kubeConfigFile } = connectionInfo ?? {};
  const field = `${at}.connectionInfo`;
  switch (type) {
    case "InClusterConfig":
      if (isGiven(kubeConfigFile))
        errors.push(invalid(`${field}.kubeConfigFile`, kubeConfigFile, "can only be set when type=KubeConfigFile"));
      return undefined;
    case "KubeConfigFile": {
      if (!isGiven(kubeConfigFile)) {
        errors.push(required(`${field}.kubeConfigFile`));
        return undefined;
      }
      const problem = contents?.has(kubeConfigFile!) ? undefined : fileProblem(kubeConfigFile!);
      if (problem !== undefined) errors.push(invalid(`${field}.kubeConfigFile`, kubeConfigFile, problem));
      return kubeConfigFile!;
    }
    case "":
      errors.push(required(`${field}.type`));
      return undefined;
    default:
      errors.push(notSupported(`${field}.type`, type, ["InClusterConfig", "KubeConfigFile"]));
      return undefined;
  }
}

function fileProblem(path: string): string | undefined {
  if (!isAbsolute(path)) return "must be an absolute path";
  try {
    return statSync(path).isFile() ? undefined : "must be a regular file";
  } catch (error) {
    return `error loading file: ${(error as Error).message}`;
  }
}

function readTtl(
  cached: boolean | null | undefined,
  text: string | null | undefined,
  byDefault: string,
  field: string,
  errors: FieldError[],
): number {
  // A duration that is not used is not looked at.
  if (cached === false) return 0;
  return readDuration(isGiven(text) ? text : byDefault, field, errors, "must be > 0s", Number.POSITIVE_INFINITY);
}

function readDuration(
  text: string | null | undefined,
  field: string,
  errors: FieldError[],
  range: string,
  maxMs: number,
): number {
  if (!isGiven(text)) {
    errors.push(required(field));
    return 0;
  }
  const ms = durationMs(text!);
  if (ms === undefined) errors.push(invalid(field, text, "must be a duration such as 3s"));
  else if (ms <= 0 || ms > maxMs) errors.push(ms === 0 ? required(field) : invalid(field, text, range));
  return ms ?? 0;
}

function choice<T extends string>(
  value: string | null | undefined,
  choices: readonly T[],
  field: string,
  errors: FieldError[],
): T {
  const found = choices.find((one) => one === value);
  if (found === undefined) errors.push(isGiven(value) ? notSupported(field, value, choices) : required(field));
  return found ?? choices[0]!;
}

const isGiven = (value: string | null | undefined): boolean => value !== undefined && value !== null && value !== "";
