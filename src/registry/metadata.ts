// The rules of metadata that all kinds share: what the server fills, what may change, how it must look. Pure.
// Requirements: document 1, "Object metadata".

import { append } from "../base/append.ts";
import { equalJson } from "../base/json.ts";
import { flatMapInSteps, Pace, type Steps } from "../base/steps.ts";
import type { Kind, NameRule } from "../kinds/define-kind.ts";
import { type FieldError, forbiddenField, invalid, required, tooLong, untilEnough } from "../meta/field-error.ts";
import { NAMES_PER_STEP, validateAnnotationsInSteps, validateLabelsInSteps } from "../meta/metadata-validation.ts";
import { nameProblems, pathSegmentProblems, qualifiedNameProblems } from "../meta/name-formats.ts";
import type { Names } from "../meta/names.ts";
import type { ApiObject, ObjectMeta, OwnerReference } from "../meta/object.ts";
import { cutText } from "../meta/quoted.ts";
import { validateManagerName } from "../patch/manager-name.ts";

const IMMUTABLE = "field is immutable";

interface MetadataRules {
  readonly kind: Pick<Kind, "scope" | "name" | "freeFinalizers" | "judgesMetadataLast">;
  readonly names: Names;
}

/** Clears what only the server may say about a new object. */
export function wipeSystemFields(metadata: ObjectMeta): void {
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata.uid;
  delete metadata.creationTimestamp;
}

export function fillSystemFields(metadata: ObjectMeta, uid: string, now: string): void {
  metadata.uid = uid;
  metadata.creationTimestamp = now;
}

export function validateMetadata(metadata: ObjectMeta, rules: MetadataRules): Steps<FieldError[]> {
  return untilEnough(() => judgeNew(metadata, rules));
}

export function validateMetadataUpdate(
  metadata: ObjectMeta,
  old: ObjectMeta,
  rules: MetadataRules,
): Steps<FieldError[]> {
  return untilEnough(() => judgeChanged(metadata, old, rules));
}

function* judgeNew(metadata: ObjectMeta, { kind, names }: MetadataRules): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const at = "metadata";
  append(
    errors,
    prefixErrors(metadata, (prefix) => checkName(kind.name, prefix)),
  );
  if (metadata.name === undefined || metadata.name === "") {
    errors.push(required(`${at}.name`, "name or generateName is required"));
  } else {
    for (const problem of checkName(kind.name, metadata.name))
      errors.push(invalid(`${at}.name`, metadata.name, problem));
  }
  if (kind.scope === "Namespaced") {
    if (metadata.namespace === undefined || metadata.namespace === "") errors.push(required(`${at}.namespace`));
    else
      for (const problem of nameProblems("dns1123Label", metadata.namespace))
        errors.push(invalid(`${at}.namespace`, metadata.namespace, problem));
  } else if (metadata.namespace !== undefined && metadata.namespace !== "") {
    errors.push(forbiddenField(`${at}.namespace`, "not allowed on this type"));
  }
  if (metadata.generation !== undefined && metadata.generation < 0) {
    errors.push(invalid(`${at}.generation`, metadata.generation, "must be greater than or equal to 0"));
  }
  append(errors, yield* validateContent(metadata, { finalizers: true }));
  append(errors, yield* validateFinalizerDomains(metadata, kind, names));
  return errors;
}

/** In upstream's order, which names a finding as often as it comes upon it. */
function* judgeChanged(metadata: ObjectMeta, old: ObjectMeta, { kind, names }: MetadataRules): Steps<FieldError[]> {
  const errors = changedPrefix(metadata, old, kind.name);
  append(errors, yield* validateContent(metadata));
  append(errors, yield* validateFinalizers(metadata.finalizers ?? [], "metadata.finalizers"));
  append(errors, validateChange(metadata, old));
  append(errors, yield* validateFinalizerDomains(metadata, kind, names));
  return errors;
}

/** Names are not judged again: what was accepted once stays updatable. A prefix may change. */
function changedPrefix(metadata: ObjectMeta, old: ObjectMeta, rule: NameRule | undefined): FieldError[] {
  if (metadata.generateName === old.generateName) return [];
  return prefixErrors(metadata, (prefix) => [...pathSegmentProblems(prefix), ...checkName(rule, prefix)]);
}

function validateChange(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  const at = "metadata";
  // While an object ends, finalizers may go but not come.
  if (old.deletionTimestamp !== undefined) {
    const there = new Set(old.finalizers ?? []);
    const added = (metadata.finalizers ?? []).filter((finalizer) => !there.has(finalizer));
    if (added.length > 0) {
      errors.push(
        forbiddenField(
          `${at}.finalizers`,
          `no new finalizers can be added if the object is being deleted, found new finalizers ${goStrings(added)}`,
        ),
      );
    }
  }
  if (metadata.resourceVersion === undefined || metadata.resourceVersion === "") {
    errors.push(invalid(`${at}.resourceVersion`, metadata.resourceVersion ?? "", "must be specified for an update"));
  }
  if (metadata.generation !== undefined && old.generation !== undefined && metadata.generation < old.generation) {
    errors.push(invalid(`${at}.generation`, metadata.generation, "must not be decremented"));
  }
  for (const field of LASTING) {
    if (!equalJson(metadata[field] ?? undefined, old[field] ?? undefined))
      errors.push(invalid(`${at}.${field}`, metadata[field], IMMUTABLE));
  }
  return errors;
}

const LASTING = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** What is asked of new objects and of changes alike; `finalizers`: also what names they have. */
function* validateContent(metadata: ObjectMeta, { finalizers = false } = {}): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  append(errors, yield* validateLabelsInSteps(metadata.labels, "metadata.labels"));
  append(errors, yield* validateAnnotationsInSteps(metadata.annotations, "metadata.annotations"));
  append(errors, yield* validateOwnerReferences(metadata.ownerReferences ?? [], "metadata.ownerReferences"));
  if (finalizers) append(errors, yield* validateFinalizers(metadata.finalizers ?? [], "metadata.finalizers"));
  append(errors, yield* validateManagedFields(metadata, "metadata.managedFields"));
  return errors;
}

function prefixErrors(
  { generateName = "" }: ObjectMeta,
  problems: (prefix: string) => readonly string[],
): FieldError[] {
  if (generateName === "") return [];
  // A prefix may end with a dash: judged as if a letter stood there.
  const prefix = generateName.length > 1 && generateName.endsWith("-") ? `${generateName.slice(0, -2)}a` : generateName;
  return problems(prefix).map((problem) => invalid("metadata.generateName", generateName, problem));
}

function checkName(rule: NameRule | undefined, name: string): readonly string[] {
  return typeof rule === "function" ? rule(name) : nameProblems(rule ?? "dns1123Subdomain", name);
}

function* validateOwnerReferences(references: readonly OwnerReference[], field: string): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  const pace = new Pace(REFERENCES_PER_STEP);
  for (const reference of references) {
    if (pace.due()) yield;
    const [group, version] = splitGroupVersion(reference.apiVersion);
    if (version === "") errors.push(invalid(`${field}.apiVersion`, reference.apiVersion, "version must not be empty"));
    if (reference.kind === "") errors.push(invalid(`${field}.kind`, reference.kind, "must not be empty"));
    if (reference.name === "") errors.push(invalid(`${field}.name`, reference.name, "must not be empty"));
    if (reference.uid === "") errors.push(invalid(`${field}.uid`, reference.uid, "must not be empty"));
    if (group === "" && version === "v1" && reference.kind === "Event") {
      errors.push(invalid(field, reference, `/v1, Kind=Event is disallowed from being an owner`));
    }
    if (reference.controller !== true) continue;
    const title = cutText(`${reference.kind}/${reference.name}`);
    if (controller !== undefined) {
      errors.push(
        invalid(
          field,
          references,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${title}`,
        ),
      );
    } else controller = title;
  }
  return errors;
}

function* validateFinalizers(finalizers: readonly string[], field: string): Steps<FieldError[]> {
  if (finalizers.length === 0) return [];
  const errors = yield* flatMapInSteps(finalizers, new Pace(NAMES_PER_STEP), (finalizer) =>
    qualifiedNameProblems(finalizer).map((problem) => invalid(field, finalizer, problem)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(invalid(field, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}

function* validateFinalizerDomains(
  { finalizers = [] }: ObjectMeta,
  { freeFinalizers, judgesMetadataLast }: MetadataRules["kind"],
  names: Names,
): Steps<FieldError[]> {
  if (finalizers.length === 0 || freeFinalizers || judgesMetadataLast) return [];
  const plain = new Set(["orphan", "foregroundDeletion", names.namespaceFinalizer]);
  return yield* flatMapInSteps(finalizers, new Pace(NAMES_PER_STEP), (finalizer, index) => {
    if (finalizer.includes("/") || plain.has(finalizer)) return [];
    const detail = "name is neither a standard finalizer name nor is it fully qualified";
    return [invalid(`metadata.finalizers[${index}]`, finalizer, detail)];
  });
}

const REFERENCES_PER_STEP = 500;

const MAX_SUBRESOURCE_LENGTH = 256;

function validateManagedFields({ managedFields }: ObjectMeta, field: string): Steps<FieldError[]> {
  return flatMapInSteps(managedFields ?? [], new Pace(NAMES_PER_STEP), (entry, index) => {
    const errors: FieldError[] = [];
    const at = `${field}[${index}]`;
    if (entry.operation !== "Apply" && entry.operation !== "Update") {
      errors.push(invalid(`${at}.operation`, entry.operation ?? "", "must be `Apply` or `Update`"));
    }
    if ((entry.fieldsType ?? "") !== "" && entry.fieldsType !== "FieldsV1") {
      errors.push(invalid(`${at}.fieldsType`, entry.fieldsType, "must be `FieldsV1`"));
    }
    append(errors, validateManagerName(entry.manager ?? "", `${at}.manager`));
    if ((entry.subresource?.length ?? 0) > MAX_SUBRESOURCE_LENGTH)
      errors.push(tooLong(`${at}.subresource`, MAX_SUBRESOURCE_LENGTH));
    return errors;
  });
}

export const hasSeveralOwners = ({ metadata }: ApiObject): boolean => (metadata.ownerReferences?.length ?? 0) > 1;

/** Equal owner references count once; the uids of those that were repeated come back for a warning. */
export function* dedupOwnerReferences({ metadata }: ApiObject): Steps<string[]> {
  const references = metadata.ownerReferences ?? [];
  const kept = new Map<string, OwnerReference>();
  const repeated = new Set<string>();
  const pace = new Pace(REFERENCES_PER_STEP);
  for (const reference of references) {
    if (pace.due()) yield;
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
    const text = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
    if (kept.has(text)) repeated.add(uid);
    else kept.set(text, reference);
  }
  if (repeated.size > 0) metadata.ownerReferences = [...kept.values()];
  return [...repeated].sort();
}

function splitGroupVersion(apiVersion: string): [string, string] {
  const slash = apiVersion.indexOf("/");
  if (slash !== apiVersion.lastIndexOf("/")) return ["", ""];
  return slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

const goStrings = (words: readonly string[]): string =>
  cutText(`[]string{${words.map((word) => JSON.stringify(word)).join(", ")}}`);
