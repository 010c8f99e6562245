// The rules of the write path for a custom resource: shape, defaults and validation, all from the schema of its definition.
// Requirements: document 1, "Field validation", "Expression language (CEL) in API fields".

import { append } from "../../../base/append.ts";
import { goQuote } from "../../../base/go-quote.ts";
import { cloneJson, isObject, type JsonObject } from "../../../base/json.ts";
import { cloneJsonInSteps } from "../../../base/json-in-steps.ts";
import { atOnce, finish, type Steps } from "../../../base/steps.ts";
import type { Kind } from "../../../kinds/define-kind.ts";
import { objectMeta } from "../../../kinds/meta/object-meta.ts";
import { keepStatus } from "../../../kinds/subresources.ts";
import { type FieldError, type FieldErrorType, invalid } from "../../../meta/field-error.ts";
import type { Names } from "../../../meta/names.ts";
import type { ApiObject, ObjectMeta } from "../../../meta/object.ts";
import { MAX_BODY_VALUES, tooManyValues } from "../../../registry/encoding/crowded-body.ts";
import { validateMetadata } from "../../../registry/metadata.ts";
import type { ObjectRules, ShapedObject, ShapeOptions } from "../../../registry/served-resource.ts";
import { applyDefaultsInSteps, type DefaultBound } from "../../../schema/default.ts";
import { dropUnreadableMeta, shapeEmbeddedMeta, validateEmbedded } from "../../../schema/embedded.ts";
import { validateListTypes, validateListTypesInSteps } from "../../../schema/list-types.ts";
import { prune } from "../../../schema/prune.ts";
import { evaluateRules } from "../../../schema/rule-evaluation.ts";
import type { StructSchema } from "../../../schema/schema.ts";
import { compareByBytes } from "../../../schema/sorted-keys.ts";
import { validateValueInSteps } from "../../../schema/validate.ts";
import type { CompiledVersion } from "./compiled-version.ts";
import type { ExpressionObserver } from "./expression-metrics.ts";
import { sortKeys } from "./key-order.ts";
import { scaleErrors } from "./scale-validation.ts";

interface CustomRulesParts {
  readonly names: Names;
  readonly kind: () => Kind;
  readonly compiled: () => CompiledVersion;
  readonly observer: ExpressionObserver;
}

const MS_PER_SECOND = 1000;

/** What a client could not send, defaults do not make of what it sends either. */
const MOST_DEFAULTS: DefaultBound = { values: MAX_BODY_VALUES, refuse: tooManyValues };

export function customRules({ names, kind, compiled, observer }: CustomRulesParts): ObjectRules {
  const statusApart = () => kind().subresources?.["status"] !== undefined;
  /** Warnings of the validation that ran last for an object, until warn() asks for them. */
  const warnings = new WeakMap<ApiObject, string[]>();

  function* shaped(value: JsonObject, { reuse, keepNulls }: ShapeOptions, large: boolean): Steps<ShapedObject> {
    const { root } = compiled();
    const object = reuse === true ? value : large ? yield* cloneJsonInSteps(value) : cloneJson(value);
    const unknown = yield* shapeEmbeddedMeta(object, root, objectMeta, large);
    yield;
    append(unknown, yield* prune(object, root, keepNulls === true ? "keepRefused" : "drop"));
    if (!isObject(object["metadata"])) object["metadata"] = {};
    return { object: object as unknown as ApiObject, unknown };
  }

  function* check(object: ApiObject, old?: ApiObject, subresource = ""): Steps<FieldError[]> {
    const { root, rules, scale } = compiled();
    const value = object as unknown as Record<string, unknown>;
    const ofStatus = subresource === "status";
    const errors = ofStatus
      ? yield* statusErrors(value, old as Record<string, unknown> | undefined, root)
      : yield* validateValueInSteps(value, root, old === undefined ? {} : { old });
    append(errors, scaleErrors(object, scale, ofStatus));
    yield;
    if (!ofStatus)
      append(errors, yield* validateEmbedded(value, root, (metadata, path) => embeddedMetadata(metadata, path, names)));
    const repeated = yield* validateListTypesInSteps(value, root);
    // What was wrong before may stay.
    const allowed = repeated.length > 0 && old !== undefined && validateListTypes(old, root).length > 0;
    if (!allowed) append(errors, repeated);
    if (rules === undefined) return errors;
    if (errors.some(({ type }) => BLOCKING.has(type))) return [...errors, NOT_CHECKED];
    yield;
    const startMs = performance.now();
    const outcome = yield* evaluateRules(value, rules, old === undefined ? {} : { old });
    observer.evaluated((performance.now() - startMs) / MS_PER_SECOND);
    if (outcome.warnings.length > 0) warnings.set(object, outcome.warnings);
    return [...errors, ...outcome.errors];
  }

  return {
    shape: (value, options = {}) => atOnce(shaped(value, options, false)),
    shapeInSteps: (value, options = {}) => shaped(value, options, true),
    default: (object) => void atOnce(fillDefaults(object, compiled(), MOST_DEFAULTS)),
    defaultInSteps: (object) => fillDefaults(object, compiled(), MOST_DEFAULTS),
    *prepareForCreate(object) {
      yield;
      if (statusApart()) delete object["status"];
    },
    *prepareForUpdate(object, old, subresource, context) {
      yield;
      if (subresource === "status") {
        const part = kind().subresources?.["status"];
        if (part?.type === "object") finish(part.prepareForUpdate(object, old, context));
      } else if (statusApart()) keepStatus(object as { status?: unknown }, old as { status?: unknown });
    },
    validate: (object) => check(object),
    validateUpdate: (object, old, subresource) => check(object, old, subresource),
    *canonicalize(object) {
      yield;
      yield* sortKeys(object);
    },
    *warn(object, old) {
      yield;
      const ofFinalizers = finalizerWarnings(object.metadata.finalizers, old?.metadata.finalizers, names);
      return [...ofFinalizers, ...(warnings.get(object) ?? [])];
    },
  };
}

/** A status alone: messages name its fields as if it were the object. */
function* statusErrors(
  { status }: Record<string, unknown>,
  old: Record<string, unknown> | undefined,
  root: StructSchema,
): Steps<FieldError[]> {
  const schema = root.fields.get("status")?.schema;
  if (status === undefined || schema === undefined) return [];
  return yield* validateValueInSteps(status, schema, { at: "status", old: old?.["status"] });
}

/** Those who add a finalizer without a domain may take that of somebody else for theirs. */
function finalizerWarnings(finalizers: readonly string[] = [], before: readonly string[] = [], names: Names): string[] {
  const known = new Set([...before, "orphan", "foregroundDeletion", names.namespaceFinalizer]);
  const added = new Set(finalizers.filter((name) => !known.has(name) && !name.includes("/")));
  const path = (name: string) => (name.includes(".") ? " including a path (/)" : "");
  return [...added]
    .sort(compareByBytes)
    .map(
      (name) =>
        `metadata.finalizers: ${goQuote(name)}: prefer a domain-qualified finalizer name${path(name)} to avoid accidental conflicts with other finalizer writers`,
    );
}

/** Changes the object: what its version does not know goes, as do nulls that mean nothing there. */
export function* coerce(object: ApiObject, { root }: CompiledVersion): Steps<void> {
  const value = object as unknown as Record<string, unknown>;
  yield* dropUnreadableMeta(value, root, objectMeta);
  yield* prune(value, root);
}

/** Changes the object: what is absent, or null and may not be, gets its default. */
export function fillDefaults(object: ApiObject, { root }: CompiledVersion, bound?: DefaultBound): Steps<number> {
  return applyDefaultsInSteps(object as unknown as Record<string, unknown>, root, bound);
}

/** Rules cannot run over values of wrong types or sizes. */
const BLOCKING: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const NOT_CHECKED = invalid(
  "<nil>",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);

/** Metadata inside: names need not be there, but what is there must be right. */
function* embeddedMetadata(metadata: Record<string, unknown>, path: string, names: Names): Steps<FieldError[]> {
  const found = yield* validateMetadata(
    { name: "x", ...(metadata as ObjectMeta) },
    {
      kind: {
        scope: metadata["namespace"] === undefined ? "Cluster" : "Namespaced",
        name: "pathSegment",
        freeFinalizers: true,
      },
      names,
    },
  );
  return found.map((error) => ({ ...error, field: error.field.replace(/^metadata/, path) }));
}
