// Custom resources and the resources embedded in them have apiVersion, kind and metadata whatever their schema says.
// These are shaped like those of every object, and checked.

import { append } from "../base/append.ts";
import { isObject } from "../base/json.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { type FieldError, fieldErrorText, invalid, required } from "../meta/field-error.ts";
import { validateAnnotations, validateLabels } from "../meta/metadata-validation.ts";
import { dns1035LabelProblems, dns1123LabelProblems, pathSegmentProblems } from "../meta/name-formats.ts";
import type { ObjectMeta } from "../meta/object.ts";
import { conform, conformInSteps } from "./conform.ts";
import { type Schema, type StructSchema, schemaFor } from "./schema.ts";
import { inKeyOrder } from "./sorted-keys.ts";
import { MAX_DEPTH, ShapeError } from "./walk.ts";

/** So many embedded resources are gone through in one step. */
const RESOURCES_PER_STEP = 100;

/**
 * Shapes the metadata of `object` and of every resource embedded in it, in place, in steps if it is `large`. Answers the
 * unknown fields in them as conform does; throws ShapeError where apiVersion or kind is no text or metadata cannot be read.
 */
export function* shapeEmbeddedMeta(
  object: Record<string, unknown>,
  schema: StructSchema,
  objectMeta: StructSchema,
  large = false,
): Steps<string[]> {
  const unknown: string[] = [];
  const pace = new Pace(RESOURCES_PER_STEP);
  for (const { resource, path } of resourcesIn(object, schema)) {
    if (pace.due()) yield;
    for (const name of ["apiVersion", "kind"]) {
      const value = resource[name];
      if (value !== undefined && typeof value !== "string") {
        throw refused(invalid(join(path, name), value, "must be a string"));
      }
    }
    const metadata = resource["metadata"] === null ? {} : resource["metadata"];
    if (metadata === undefined) continue;
    const at = join(path, "metadata");
    try {
      const options = { unknownFields: "collect", at } as const;
      const shaped = large
        ? yield* conformInSteps(metadata, objectMeta, options)
        : conform(metadata, objectMeta, options);
      resource["metadata"] = shaped.value;
      append(unknown, shaped.unknown);
    } catch (error) {
      // Of the object itself everybody knows which metadata is meant.
      if (!(error instanceof ShapeError) || path === "") throw error;
      throw refused(invalid(at, inKeyOrder(metadata), error.message));
    }
  }
  return unknown;
}

/**
 * For stored objects, which may be older than their schema: drops what cannot be read in the metadata of embedded
 * resources, member by member, so that the objects can be written again.
 */
export function* dropUnreadableMeta(
  object: Record<string, unknown>,
  schema: StructSchema,
  objectMeta: StructSchema,
): Steps<void> {
  const pace = new Pace(RESOURCES_PER_STEP);
  for (const { resource, path } of resourcesIn(object, schema)) {
    if (pace.due()) yield;
    const { metadata } = resource;
    if (path === "" || metadata === undefined) continue;
    resource["metadata"] = (yield* readable(metadata, objectMeta)) ?? (yield* readableMembers(metadata, objectMeta));
  }
}

function* readable(metadata: unknown, objectMeta: StructSchema): Steps<Record<string, unknown> | undefined> {
  try {
    return (yield* conformInSteps(metadata ?? {}, objectMeta, { unknownFields: "drop" })).value;
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}

function* readableMembers(metadata: unknown, objectMeta: StructSchema): Steps<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  if (!isObject(metadata)) return kept;
  // Names that the schema knows: no other member stays, however it is called.
  for (const name of objectMeta.fields.keys()) {
    if (Object.hasOwn(metadata, name)) Object.assign(kept, yield* readable({ [name]: metadata[name] }, objectMeta));
  }
  return kept;
}

/**
 * What is wrong with apiVersion, kind and metadata of the resources embedded in `object`; its own are the server's to
 * check. `validateMeta` judges metadata.
 */
export function* validateEmbedded(
  object: Record<string, unknown>,
  schema: StructSchema,
  validateMeta: (metadata: Record<string, unknown>, path: string) => Steps<FieldError[]>,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const pace = new Pace(RESOURCES_PER_STEP);
  for (const { resource, path } of resourcesIn(object, schema)) {
    if (path === "") continue;
    if (pace.due()) yield;
    append(errors, apiVersionErrors(resource["apiVersion"], `${path}.apiVersion`));
    append(errors, kindErrors(resource["kind"], `${path}.kind`));
    if (isObject(resource["metadata"])) append(errors, yield* validateMeta(resource["metadata"], `${path}.metadata`));
  }
  return errors;
}

/** What is wrong with the resources in a default, which may be one itself. `at` is where the default stands. */
export function defaultedResourceErrors(
  value: unknown,
  schema: Schema,
  at: string,
  objectMeta: StructSchema,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const { resource, path } of embeddedIn(value, schema, at, 1)) {
    const { metadata } = resource;
    append(errors, apiVersionErrors(resource["apiVersion"], `${path}.apiVersion`));
    append(errors, kindErrors(resource["kind"], `${path}.kind`));
    if (metadata === undefined || metadata === null) continue;
    try {
      const { value } = conform(metadata, objectMeta, { unknownFields: "drop" });
      append(errors, metadataErrors(value, `${path}.metadata`));
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      // Of what has no shape nothing else is told.
      return [invalid(`${path}.metadata`, inKeyOrder(metadata), error.message)];
    }
  }
  return errors;
}

/** Shapes the metadata of resources in a default, in place. What cannot be read stays: it is refused. */
export function shapeDefaultedMeta(value: unknown, schema: Schema, objectMeta: StructSchema): void {
  for (const { resource } of embeddedIn(value, schema, "", 1)) {
    if (resource["metadata"] === undefined) continue;
    try {
      resource["metadata"] = conform(resource["metadata"] ?? {}, objectMeta, { unknownFields: "drop" }).value;
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
    }
  }
}

/** Formats within metadata that has the right shape. */
function metadataErrors(metadata: Readonly<Record<string, unknown>>, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name, generateName, namespace, labels, annotations } = metadata as ObjectMeta;
  const check = (field: string, value: string | undefined, problemsOf: (text: string) => readonly string[]) => {
    if (value) for (const problem of problemsOf(value)) errors.push(invalid(`${at}.${field}`, value, problem));
  };
  check("generateName", generateName, pathSegmentProblems);
  check("name", name, pathSegmentProblems);
  check("namespace", namespace, dns1123LabelProblems);
  append(errors, validateLabels(labels, `${at}.labels`));
  append(errors, validateAnnotations(annotations, `${at}.annotations`));
  return errors;
}

function apiVersionErrors(value: unknown, path: string): FieldError[] {
  if (value === undefined) return [required(path)];
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  return value.split("/", 3).length > 2 ? [invalid(path, value, `unexpected GroupVersion string: ${value}`)] : [];
}

function kindErrors(value: unknown, path: string): FieldError[] {
  if (value === undefined) return [required(path)];
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  const problems = dns1035LabelProblems(value.toLowerCase());
  if (problems.length === 0) return [];
  return [invalid(path, value, `may have mixed case, but should otherwise match: ${problems.join(",")}`)];
}

interface Found {
  readonly resource: Record<string, unknown>;
  /** Dotted; "" is the object itself. */
  readonly path: string;
}

function* resourcesIn(object: Record<string, unknown>, schema: StructSchema): Generator<Found> {
  yield { resource: object, path: "" };
  if (hasEmbedded(schema)) yield* embeddedIn(object, schema, "", 0);
}

function* embeddedIn(value: unknown, schema: Schema, path: string, depth: number): Generator<Found> {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH || !hasEmbedded(schema)) return;
  if (schema.type === "any") {
    const declared = schemaFor(value, schema);
    if (declared !== undefined) yield* embeddedIn(value, declared, path, depth);
    return;
  }
  if (Array.isArray(value)) {
    if (schema.type !== "list") return;
    for (const [index, item] of value.entries()) yield* embeddedIn(item, schema.items, `${path}[${index}]`, depth + 1);
    return;
  }
  const object = value as Record<string, unknown>;
  if (depth > 0 && schema.type === "struct" && schema.embedded) yield { resource: object, path };
  for (const key of Object.keys(object)) {
    if (schema.type === "map") yield* embeddedIn(object[key], schema.values, `${path}[${key}]`, depth + 1);
    else if (schema.type === "struct") {
      const field = schema.fields.get(key);
      if (field !== undefined) yield* embeddedIn(object[key], field.schema, join(path, key), depth + 1);
      else if (schema.additional) yield* embeddedIn(object[key], schema.additional, `${path}[${key}]`, depth + 1);
    }
  }
}

/** Most schemas embed nothing, and their objects need no walk. */
const hasEmbedded = ({ inside }: Schema): boolean => inside?.embedded === true;

function refused(error: FieldError): ShapeError {
  return new ShapeError(fieldErrorText(error), error.field);
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
