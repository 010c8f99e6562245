// What a Secret must look like: its type says which keys must be there.

import { equalJson, isObject } from "../../base/json.ts";
import { type FieldError, forbiddenField, invalid, required, tooLong } from "../../meta/field-error.ts";
import { jsonProblem } from "../../meta/json-problem.ts";
import { configMapKeyProblems } from "../../meta/name-formats.ts";
import type { HookContext } from "../define-kind.ts";
import { addProblems, IMMUTABLE } from "../meta/value-checks.ts";
import { base64Length, FROZEN, MAX_DATA_BYTES } from "./config-map-validation.ts";
import { keyPairProblem } from "./key-pair.ts";
import type { Secret } from "./secret.ts";

export function validateSecret(secret: Secret, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  let sizeBytes = 0;
  for (const [key, value] of Object.entries(secret.data ?? {})) {
    addProblems(errors, `data[${key}]`, key, configMapKeyProblems(key));
    sizeBytes += base64Length(value);
  }
  if (sizeBytes > MAX_DATA_BYTES) errors.push(tooLong("data", MAX_DATA_BYTES));
  return [...errors, ...validateKeysOfType(secret, context)];
}

export function validateSecretUpdate(secret: Secret, old: Secret, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  if (secret.type !== old.type) errors.push(invalid("type", secret.type ?? "", IMMUTABLE));
  if (old.immutable) {
    if (!secret.immutable) errors.push(forbiddenField("immutable", FROZEN));
    if (!equalJson(secret.data ?? {}, old.data ?? {})) errors.push(forbiddenField("data", FROZEN));
  }
  return [...errors, ...validateSecret(secret, context)];
}

/** A certificate and a key that do not belong together are stored all the same. */
export function warnSecret({ type, data }: Secret, _old: Secret | undefined, { names }: HookContext): string[] {
  if (type !== names.tlsType) return [];
  const problem = keyPairProblem(textOf(data?.["tls.crt"]), textOf(data?.["tls.key"]));
  return problem === undefined ? [] : [problem];
}

function validateKeysOfType({ metadata, type, data = {} }: Secret, { names }: HookContext): FieldError[] {
  const missing = (...keys: string[]) => keys.filter((key) => !Object.hasOwn(data, key)).map(requiredKey);
  switch (type) {
    case names.serviceAccountTokenType: {
      const annotation = names.serviceAccountNameAnnotation;
      return metadata.annotations?.[annotation] ? [] : [required(`metadata.annotations[${annotation}]`)];
    }
    case names.dockercfgType:
      return validateJsonKey(data, ".dockercfg");
    case names.dockerConfigJsonType:
      return validateJsonKey(data, ".dockerconfigjson");
    case names.basicAuthType: {
      const absent = missing("username", "password");
      return absent.length === 2 ? absent : [];
    }
    case names.sshAuthType:
      return data["ssh-privatekey"] ? [] : [requiredKey("ssh-privatekey")];
    case names.tlsType:
      return missing("tls.crt", "tls.key");
    default:
      return [];
  }
}

const requiredKey = (key: string): FieldError => required(`data[${key}]`);

function validateJsonKey(data: NonNullable<Secret["data"]>, key: string): FieldError[] {
  if (!Object.hasOwn(data, key)) return [requiredKey(key)];
  const text = textOf(data[key]);
  const problem = jsonProblem(text) ?? kindProblem(JSON.parse(text));
  return problem === undefined ? [] : [invalid(`data[${key}]`, "<secret contents redacted>", problem)];
}

function kindProblem(value: unknown): string | undefined {
  if (value === null || isObject(value)) return undefined;
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

const textOf = (encoded: string | null | undefined): string => Buffer.from(encoded ?? "", "base64").toString("utf8");
