// The versions of a definition. What is equal in all of them is judged once, at the place where upstream keeps it then:
// at the top of the spec.

import { equalJson, type Json } from "../../base/json.ts";
import { type FieldError, invalid, required, tooMany } from "../../meta/field-error.ts";
import { dns1035LabelProblems } from "../../meta/name-formats.ts";
import { resolveFieldPath } from "../../schema/crd-expression-rules.ts";
import type { Props } from "../../schema/crd-props.ts";
import { crdSchemaErrors } from "../../schema/crd-rules.ts";
import { defaultRuleErrors, expressionsOf, ruleErrors } from "../../schema/rule-checks.ts";
import { structuralErrors } from "../../schema/structural.ts";
import type { HookContext } from "../define-kind.ts";
import { objectMeta } from "../meta/object-meta.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  SelectableField,
} from "./custom-resource-definition-schema.ts";

const SHARED = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;
type Shared = (typeof SHARED)[number];

/** `unchanged`: an update left the versions as they were. */
export function* versionErrors(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
  context: HookContext,
  unchanged: boolean,
): Generator<FieldError> {
  const versions = spec.versions ?? [];
  const hoisted = new Set(
    SHARED.filter((key) => versions.every((version) => equalJson(version[key] ?? null, versions[0]![key] ?? null))),
  );
  for (const [i, version] of versions.entries()) {
    if (!version.schema?.openAPIV3Schema) yield required(`spec.versions[${i}].schema.openAPIV3Schema`);
    yield* nameErrors(version.name, `spec.versions[${i}].name`);
    yield* deprecationErrors(version, `spec.versions[${i}].deprecationWarning`);
  }
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length)
    yield invalid("spec.versions", printed(spec, hoisted), "must contain unique version names");
  if (versions.filter(({ storage }) => storage).length !== 1) {
    yield invalid("spec.versions", printed(spec, hoisted), "must have exactly one version marked as storage version");
  }
  if (versions.length > 0) yield* nameErrors(names[0]!, "spec.version");
  if (unchanged) return;
  const stored = new Set<string>();
  for (const { schema } of old?.versions ?? [])
    if (schema?.openAPIV3Schema) expressionsOf(schema.openAPIV3Schema as Props, stored);
  const anyStatus = versions.some(({ subresources }) => Boolean(subresources?.status));
  for (const key of SHARED) {
    if (hoisted.has(key)) {
      if (versions[0] !== undefined) yield* partErrors(key, versions[0], "spec", anyStatus, context, stored);
      continue;
    }
    for (const [i, version] of versions.entries()) {
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
): Generator<FieldError> {
  const props = version.schema?.openAPIV3Schema as Props | undefined;
  switch (key) {
    case "schema": {
      if (!props) return;
      const path = `${at}.${at === "spec" ? "validation" : "schema"}.openAPIV3Schema`;
      const found = crdSchemaErrors(props, { at: path, statusEnabled, objectMeta });
      yield* found;
      if (found.length > 0 && structuralErrors(props, path).length > 0) return;
      const options = { at: path, namespace: context.names.dialect, stored };
      const rules = ruleErrors(props, options);
      yield* rules;
      if (found.length === 0 && rules.length === 0) yield* defaultRuleErrors(props, options);
      return;
    }
    case "subresources":
      yield* subresourceErrors(version.subresources ?? undefined, `${at}.subresources`);
      return;
    case "additionalPrinterColumns":
      for (const [i, column] of (version.additionalPrinterColumns ?? []).entries())
        yield* columnErrors(column, `${at}.additionalPrinterColumns[${i}]`);
      return;
    case "selectableFields":
      yield* selectableErrors(version.selectableFields ?? [], props, `${at}.selectableFields`);
  }
}

function* nameErrors(name: string, path: string): Generator<FieldError> {
  const problems = dns1035LabelProblems(name);
  if (problems.length > 0) yield invalid(path, name, problems.join(","));
}

const MAX_WARNING_LENGTH = 256;

function* deprecationErrors(
  { deprecated, deprecationWarning: warning }: CustomResourceDefinitionVersion,
  path: string,
): Generator<FieldError> {
  if (warning === undefined || warning === null) return;
  if (!deprecated) yield invalid(path, warning, "can only be set for deprecated versions");
  if (warning.length > MAX_WARNING_LENGTH)
    yield invalid(path, warning, `must be <= ${MAX_WARNING_LENGTH} characters long`);
  if (warning === "") yield invalid(path, warning, "must not be an empty string");
  const unprintable = [...warning].findIndex((character) => /[\p{C}\p{Zl}\p{Zp}]/u.test(character));
  if (unprintable >= 0)
    yield invalid(
      path,
      warning,
      `must only contain printable UTF-8 characters; non-printable character found at index ${unprintable}`,
    );
}

function* subresourceErrors(subresources: CustomResourceSubresources | undefined, at: string): Generator<FieldError> {
  const scale = subresources?.scale;
  if (!scale) return;
  yield* replicasPathErrors(scale.specReplicasPath, "spec", `${at}.scale.specReplicasPath`);
  yield* replicasPathErrors(scale.statusReplicasPath, "status", `${at}.scale.statusReplicasPath`);
  const { labelSelectorPath } = scale;
  if (!labelSelectorPath) return;
  const path = `${at}.scale.labelSelectorPath`;
  const simple = [...simplePathErrors(labelSelectorPath, path)];
  yield* simple;
  if (simple.length === 0 && !/^\.(?:spec|status)\./.test(labelSelectorPath)) {
    yield invalid(path, labelSelectorPath, "should be a json path under either .spec or .status");
  }
}

function* replicasPathErrors(text: string, root: "spec" | "status", path: string): Generator<FieldError> {
  if (text === "") {
    yield required(path);
    return;
  }
  const simple = [...simplePathErrors(text, path)];
  yield* simple;
  if (simple.length === 0 && !text.startsWith(`.${root}.`))
    yield invalid(path, text, `should be a json path under .${root}`);
}

function* simplePathErrors(text: string, path: string): Generator<FieldError> {
  if (text === "") yield invalid(path, text, "must not be empty");
  else if (!text.startsWith(".")) yield invalid(path, text, "must be a simple json path starting with .");
}

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function* columnErrors(
  { name, type, format, jsonPath }: CustomResourceColumnDefinition,
  at: string,
): Generator<FieldError> {
  if (name === "") yield required(`${at}.name`);
  const types = `must be one of ${COLUMN_TYPES.join(",")}`;
  if (type === "") yield required(`${at}.type`, types);
  else if (!COLUMN_TYPES.includes(type)) yield invalid(`${at}.type`, type, types);
  if (format && !COLUMN_FORMATS.includes(format))
    yield invalid(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(",")}`);
  if (jsonPath === "") yield required(`${at}.JSONPath`);
  else yield* simplePathErrors(jsonPath, `${at}.JSONPath`);
}

const MAX_SELECTABLE_FIELDS = 8;

function* selectableErrors(
  fields: readonly SelectableField[],
  props: Props | undefined,
  at: string,
): Generator<FieldError> {
  if (fields.length === 0) return;
  if (props === undefined) {
    yield invalid(at, "", "may only be set when validations.schema is included");
    return;
  }
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
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
    if (seen.has(found.path)) yield { type: "FieldValueDuplicate", field: path, value: jsonPath, detail: "" };
    seen.add(found.path);
  }
  if (seen.size > MAX_SELECTABLE_FIELDS) yield tooMany(at, seen.size, MAX_SELECTABLE_FIELDS);
}

const SELECTABLE_TYPES: ReadonlySet<string> = new Set(["string", "boolean", "integer"]);

/** The versions as upstream prints them. */
function printed(spec: CustomResourceDefinitionSpec, hoisted: ReadonlySet<Shared>): Json {
  if (!spec.versions) return null;
  return spec.versions.map((version) => {
    const own = (key: Shared) => (hoisted.has(key) ? null : ((version[key] ?? null) as Json));
    return {
      Name: version.name,
      Served: version.served,
      Storage: version.storage,
      Deprecated: version.deprecated ?? false,
      DeprecationWarning: version.deprecationWarning ?? null,
      Schema: own("schema"),
      Subresources: own("subresources"),
      AdditionalPrinterColumns: own("additionalPrinterColumns"),
      SelectableFields: own("selectableFields"),
    };
  });
}
