// Secret: small amounts of confidential data, of a type that says what must be in them.

import { append } from "../../base/append.ts";
import { isObject, setKey } from "../../base/json.ts";
import { equalJsonInSteps, keysInStep, withMembers } from "../../base/json-in-steps.ts";
import { keyPairProblem } from "../../base/key-pair.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { keysOf } from "../../base/wide-keys.ts";
import { type FieldError, forbiddenField, invalid, required, tooLong, tooMany } from "../../meta/field-error.ts";
import { jsonProblem } from "../../meta/json-problem.ts";
import { opt, ptr } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { rowFields } from "../cells/row-fields.ts";
import { defineKind, type HookContext, MAX_KEYS_AT_ONCE, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { IMMUTABLE } from "../meta/value-checks.ts";
import { base64Length, checkKey, FROZEN, KEYS_PER_STEP, MAX_DATA_BYTES } from "./config-map.ts";

export type Secret = ObjectOf<typeof secretSchema>;

const secretSchema = objectSchema("core.v1.Secret", "A small amount of confidential data.", () => ({
  immutable: ptr.boolean(
    5,
    "When true, the data can no longer change and this cannot be taken back; metadata still can. Not set means false.",
  ),
  data: opt.map("bytes", 2, "Values as bytes, in base64. Keys consist of letters, digits, `-`, `_` and `.`."),
  stringData: opt.map("string", 4, "Written as text, stored in data."),
  type: opt.named(
    "SecretType",
    3,
    "What the data is for; some types require certain keys. Not set, `Opaque`. Cannot be changed.",
  ),
}));

export const secret = defineKind({
  group: "",
  version: "v1",
  kind: "Secret",
  resource: "secrets",
  scope: "Namespaced",
  judgedInSteps: true,
  schema: secretSchema,
  unconditionalUpdate: true,
  rowFields: rowFields("type", "data.*"),
  columns: [
    NAME_COLUMN,
    { name: "Type", type: "string", cell: (secret) => secret.type ?? "" },
    { name: "Data", type: "string", cell: (secret) => keysOf(secret.data ?? {}).length },
    AGE_COLUMN,
  ],
  selectableFields: { type: (secret) => secret.type ?? "" },
  hooks: {
    default(secret) {
      secret.type ||= "Opaque";
      if (secret.stringData !== undefined) return moveStringData(secret, secret.stringData);
    },
    validate: validateSecret,
    validateUpdate: validateSecretUpdate,
    warn: warnSecret,
  },
});

/** stringData is for writing only: as bytes it wins over data. What is too much stays, and is refused. */
function* moveStringData(secret: Secret, texts: NonNullable<Secret["stringData"]>): Steps<void> {
  const keys = yield* keysInStep(texts);
  if (keys.length > MAX_KEYS_AT_ONCE) return;
  if (keys.length > 0) {
    const further: NonNullable<Secret["data"]> = {};
    for (const key of keys) setKey(further, key, Buffer.from(texts[key]!, "utf8").toString("base64"));
    secret.data = yield* withMembers(secret.data ?? {}, further);
  }
  delete secret.stringData;
}

function* validateSecret(secret: Secret, context: HookContext): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  let sizeBytes = 0;
  const { data = {}, stringData } = secret;
  if (stringData !== undefined)
    errors.push(tooMany("stringData", (yield* keysInStep(stringData)).length, MAX_KEYS_AT_ONCE));
  const pace = new Pace(KEYS_PER_STEP);
  for (const key of yield* keysInStep(data)) {
    if (pace.due()) yield;
    checkKey(errors, "data", key);
    sizeBytes += base64Length(data[key]!);
  }
  if (sizeBytes > MAX_DATA_BYTES) errors.push(tooLong("data", MAX_DATA_BYTES));
  append(errors, validateKeysOfType(secret, context));
  return errors;
}

function* validateSecretUpdate(secret: Secret, old: Secret, context: HookContext): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  if (secret.type !== old.type) errors.push(invalid("type", secret.type ?? "", IMMUTABLE));
  if (old.immutable) {
    if (!secret.immutable) errors.push(forbiddenField("immutable", FROZEN));
    if (!(yield* equalJsonInSteps(secret.data ?? {}, old.data ?? {}))) errors.push(forbiddenField("data", FROZEN));
  }
  append(errors, yield* validateSecret(secret, context));
  return errors;
}

/** A certificate and a key that do not belong together are stored all the same. */
function warnSecret({ type, data }: Secret, _old: Secret | undefined, { names }: HookContext): string[] {
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
