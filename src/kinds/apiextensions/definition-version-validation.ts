// The versions of a definition. What is equal in all of them is judged once, at the place where upstream keeps it then:
// at the top of the spec.

import type { Json } from "../../base/json.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { duplicate, type FieldError, invalid, required, tooMany } from "../../meta/field-error.ts";
import { fieldErrors } from "../../schema/check-fields.ts";
import { resolveFieldPath } from "../../schema/crd-expression-rules.ts";
import type { Props } from "../../schema/crd-props.ts";
import { crdSchemaErrors } from "../../schema/crd-rules.ts";
import { expressionsOf, ruleErrors } from "../../schema/rule-checks.ts";
import type { HookContext } from "../define-kind.ts";
import { objectMeta } from "../meta/object-meta.ts";
import {
  type CustomResourceColumnDefinition,
  type CustomResourceDefinitionSpec,
  type CustomResourceDefinitionVersion,
  customResourceColumnDefinition,
  customResourceDefinitionVersion,
  customResourceSubresourceScale,
  type SelectableField,
  simplePathProblems,
  wordProblems,
} from "./custom-resource-definition-schema.ts";

const SHARED = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;
type Shared = (typeof SHARED)[number];

/** One at a time; nothing where others may have their turn. */
type Findings = Generator<FieldError | undefined, void, undefined>;

const VERSIONS_PER_STEP = 125;
/** Columns, and fields to select by. */
const FIELDS_PER_STEP = 125;
const FINDINGS_PER_STEP = 1_000;
/** Of versions that are not alike, the whole schema of one among them. */
const PARTS_PER_STEP = 12;

/** `unchanged`: an update left the versions as they were. */
export function* versionErrors(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
  context: HookContext,
  unchanged: boolean,
): Findings {
  const versions = spec.versions ?? [];
  const pace = new Pace(VERSIONS_PER_STEP);
  const hoisted = new Set<Shared>(SHARED);
  for (const version of versions) {
    if (pace.due()) yield;
    for (const key of hoisted)
      if (!(yield* equalJsonInSteps(version[key] ?? null, versions[0]![key] ?? null))) hoisted.delete(key);
  }
  for (const [i, version] of versions.entries()) {
    if (pace.due()) yield;
    if (!version.schema?.openAPIV3Schema) yield required(`spec.versions[${i}].schema.openAPIV3Schema`);
    yield* fieldErrors(version, customResourceDefinitionVersion, `spec.versions[${i}]`, ["name"]);
    yield* warningErrors(version, `spec.versions[${i}]`);
  }
  yield;
  const names = versions.map(({ name }) => name);
  const isUnique = new Set(names).size === names.length;
  const isOneStored = versions.filter(({ storage }) => storage).length === 1;
  if (!isUnique || !isOneStored) {
    const shown = yield* printed(spec, hoisted, pace);
    if (!isUnique) yield invalid("spec.versions", shown, "must contain unique version names");
    if (!isOneStored) yield invalid("spec.versions", shown, "must have exactly one version marked as storage version");
  }
  yield;
  if (versions.length > 0)
    for (const problem of wordProblems(names[0]!)) yield invalid("spec.version", names[0]!, problem);
  if (unchanged) return;
  const stored = new Set<string>();
  for (const { schema } of old?.versions ?? [])
    if (schema?.openAPIV3Schema) yield* expressionsOf(schema.openAPIV3Schema as Props, stored);
  yield;
  const parts = new Pace(PARTS_PER_STEP);
  const anyStatus = versions.some(({ subresources }) => Boolean(subresources?.status));
  for (const key of SHARED) {
    if (hoisted.has(key)) {
      if (versions[0] !== undefined) yield* partErrors(key, versions[0], "spec", anyStatus, context, stored);
      continue;
    }
    for (const [i, version] of versions.entries()) {
      if (parts.due()) yield;
      const statusEnabled = Boolean(version.subresources?.status);
      yield* partErrors(key, version, `spec.versions[${i}]`, statusEnabled, context, stored);
    }
  }
}

function* partErrors(
  key: Shared,
  version: CustomResourceDefinitionVersion,
  at: string,
  statusEnabled: boolean,
  context: HookContext,
  stored: ReadonlySet<string>,
): Findings {
  const props = version.schema?.openAPIV3Schema as Props | undefined;
  switch (key) {
    case "schema": {
      if (!props) return;
      const path = `${at}.${at === "spec" ? "validation" : "schema"}.openAPIV3Schema`;
      const namespace = context.names.dialect;
      const { errors, ofLevels } = yield* crdSchemaErrors(props, { at: path, statusEnabled, objectMeta, namespace });
      yield* inTurn(errors);
      if (ofLevels === undefined) return;
      const rules = yield* ruleErrors(props, { at: path, namespace, stored, found: ofLevels });
      yield* inTurn(rules);
      return;
    }
    case "subresources": {
      const scale = version.subresources?.scale;
      if (scale) yield* fieldErrors(scale, customResourceSubresourceScale, `${at}.subresources.scale`);
      return;
    }
    case "additionalPrinterColumns": {
      const pace = new Pace(FIELDS_PER_STEP);
      for (const [i, column] of (version.additionalPrinterColumns ?? []).entries()) {
        if (pace.due()) yield;
        yield* columnErrors(column, `${at}.additionalPrinterColumns[${i}]`);
      }
      return;
    }
    case "selectableFields":
      yield* selectableErrors(version.selectableFields ?? [], props, `${at}.selectableFields`);
  }
}

/** What was found in one go, which may be very much. */
function* inTurn(errors: readonly FieldError[]): Findings {
  const pace = new Pace(FINDINGS_PER_STEP);
  for (const error of errors) {
    if (pace.due()) yield;
    yield error;
  }
}

function* warningErrors(version: CustomResourceDefinitionVersion, at: string): Generator<FieldError> {
  const { deprecated, deprecationWarning: warning } = version;
  if (warning === undefined || warning === null) return;
  if (!deprecated) yield invalid(`${at}.deprecationWarning`, warning, "can only be set for deprecated versions");
  yield* fieldErrors(version, customResourceDefinitionVersion, at, ["deprecationWarning"]);
}

function* columnErrors(column: CustomResourceColumnDefinition, at: string): Generator<FieldError> {
  yield* fieldErrors(column, customResourceColumnDefinition, at);
  // Upstream has another name for this one.
  const { jsonPath } = column;
  if (jsonPath === "") yield required(`${at}.JSONPath`);
  else for (const problem of simplePathProblems(jsonPath)) yield invalid(`${at}.JSONPath`, jsonPath, problem);
}

const MAX_SELECTABLE_FIELDS = 8;

function* selectableErrors(fields: readonly SelectableField[], props: Props | undefined, at: string): Findings {
  if (fields.length === 0) return;
  if (props === undefined) {
    const detail = at.startsWith("spec.versions")
      ? "may only be set when `version.schema.openAPIV3Schema` is not included"
      : "may only be set when validations.schema is included";
    yield invalid(at, "", detail);
    return;
  }
  const pace = new Pace(FIELDS_PER_STEP);
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    if (pace.due()) yield;
    const path = `${at}[${i}].jsonPath`;
    if (jsonPath === "") {
      yield required(path);
      continue;
    }
    const found = jsonPath.includes("[") ? "array notation is not allowed" : resolveFieldPath(jsonPath, props);
    if (typeof found === "string") {
      yield invalid(path, jsonPath, `is an invalid path: ${found}`);
      continue;
    }
    if (/^metadata(?:\.|$)/.test(found.path)) yield invalid(path, jsonPath, "must not point to fields in metadata");
    if (!SELECTABLE_TYPES.has(found.props?.type ?? "")) {
      yield invalid(
        path,
        jsonPath,
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
      );
    }
    if (seen.has(found.path)) yield duplicate(path, jsonPath);
    seen.add(found.path);
  }
  if (seen.size > MAX_SELECTABLE_FIELDS) yield tooMany(at, seen.size, MAX_SELECTABLE_FIELDS);
}

const SELECTABLE_TYPES: ReadonlySet<string> = new Set(["string", "boolean", "integer"]);

/** The versions as upstream prints them. */
function* printed(spec: CustomResourceDefinitionSpec, hoisted: ReadonlySet<Shared>, pace: Pace): Steps<Json> {
  if (!spec.versions) return null;
  return yield* flatMapInSteps(spec.versions, pace, (version): Json[] => {
    const own = (key: Shared) => (hoisted.has(key) ? null : ((version[key] ?? null) as Json));
    return [
      {
        Name: version.name,
        Served: version.served,
        Storage: version.storage,
        Deprecated: version.deprecated ?? false,
        DeprecationWarning: version.deprecationWarning ?? null,
        Schema: own("schema"),
        Subresources: own("subresources"),
        AdditionalPrinterColumns: own("additionalPrinterColumns"),
        SelectableFields: own("selectableFields"),
      },
    ];
  });
}
