// The OpenAPI definitions of custom resources, from the schema in their definition.

import { isObject, type JsonObject, setKey } from "../base/json.ts";
import { cloneJsonInSteps, withMembers } from "../base/json-in-steps.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { settleKeys } from "../base/wide-keys.ts";
import type { Names } from "../meta/names.ts";
import type { GroupVersionKind } from "../meta/object.ts";
import { additionalOf, itemsOf, LEVELS_PER_STEP, type Props, propertyNamesInStep, propertyOf } from "./crd-props.ts";
import { componentName, customComponentName } from "./openapi-names.ts";

interface CustomDefinitionOptions extends GroupVersionKind {
  readonly names: Names;
  readonly listKind: string;
  readonly version: string;
  readonly openApi: "v2" | "v3";
  /** The paths of the definition's selectable fields: .spec.color. */
  readonly selectableFields?: readonly string[];
}

/** The definitions of the kind and of its list, by name. Without a schema every field is allowed. */
export function* customDefinitions(
  props: Props | undefined,
  options: CustomDefinitionOptions,
): Steps<Record<string, JsonObject>> {
  const { group, version, kind, listKind } = options;
  const name = customComponentName(group, version, kind);
  const listName = customComponentName(group, version, listKind);
  return {
    [name]: { ...(yield* rootOf(props, options)), ...markers(options, kind) },
    [listName]: { ...listOf(name, options), ...markers(options, listKind) },
  };
}

function markers({ group, version, selectableFields = [] }: CustomDefinitionOptions, kind: string): JsonObject {
  const fields = selectableFields.map((path) => ({ fieldPath: path.replace(/^\./, "") }));
  return {
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
    ...(fields.length === 0 ? {} : { "x-kubernetes-selectable-fields": fields }),
  };
}

function* rootOf(props: Props | undefined, options: CustomDefinitionOptions): Steps<JsonObject> {
  // Where unknown fields are welcome, a client of v2 that is told of any field refuses all others.
  const open = props?.["x-kubernetes-preserve-unknown-fields"] === true;
  if (props === undefined || (open && options.openApi === "v2")) return { type: "object" };
  const published = yield* publish(props, options, new Pace(LEVELS_PER_STEP));
  const properties = isObject(published["properties"]) ? published["properties"] : {};
  return { ...published, type: "object", properties: yield* withMembers(properties, metaProperties(options)) };
}

function metaProperties(options: CustomDefinitionOptions): JsonObject {
  return {
    apiVersion: {
      description: 'APIVersion defines the form in which the object is written: "group/version" or "v1".',
      type: "string",
    },
    kind: {
      description: "Kind is a string value that says what the object is, in CamelCase; cannot change.",
      type: "string",
    },
    metadata: reference(
      "meta.v1.ObjectMeta",
      "Standard object's metadata: its identity, its labels, its owners and its history.",
      options,
    ),
  };
}

function listOf(itemName: string, options: CustomDefinitionOptions): JsonObject {
  const { apiVersion, kind } = metaProperties(options);
  return {
    description: `${options.listKind} is a list of ${options.kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion,
      items: {
        description: `List of ${options.kind}.`,
        type: "array",
        items: { $ref: `${options.openApi === "v2" ? "#/definitions/" : "#/components/schemas/"}${itemName}` },
      },
      kind,
      metadata: reference("meta.v1.ListMeta", "Standard list metadata: its version, and how to read on.", options),
    },
  };
}

function reference(structName: string, description: string, { names, openApi }: CustomDefinitionOptions): JsonObject {
  const name = componentName(structName, names);
  if (openApi === "v2") return { description, $ref: `#/definitions/${name}` };
  return { description, allOf: [{ $ref: `#/components/schemas/${name}` }] };
}

function publish(props: Props, options: CustomDefinitionOptions, pace: Pace): Steps<JsonObject> {
  return options.openApi === "v2" ? publishV2(props, options, pace) : publishV3(props, options, pace);
}

function* publishV3(props: Props, options: CustomDefinitionOptions, pace: Pace): Steps<JsonObject> {
  if (pace.due()) yield;
  const { properties: _properties, items: _items, additionalProperties: _additional, ...rest } = props;
  return { ...((yield* cloneJsonInSteps(rest)) as JsonObject), ...(yield* childrenOf(props, options, pace)) };
}

const LEFT_OUT = new Set(["properties", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "not", "nullable"]);

// Clients of v2 refuse objects with null, with unknown fields beside known ones, or with alternatives, so that all of
// these are published as less than they are.
function* publishV2(props: Props, options: CustomDefinitionOptions, pace: Pace): Steps<JsonObject> {
  if (pace.due()) yield;
  const open = props["x-kubernetes-preserve-unknown-fields"] === true;
  const bare = props.nullable === true || open;
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(props))
    if (!LEFT_OUT.has(name)) rest[name] = yield* cloneJsonInSteps(value);
  const required = additionalOf(props)?.nullable
    ? []
    : props.required?.filter((name) => !propertyOf(props, name)?.nullable);
  if (required === undefined || required.length === 0) delete rest["required"];
  else rest["required"] = required;
  const untyped =
    props.nullable || (props.type === "object" && open) || (props.type === "array" && (bare || !props.items));
  if (untyped) delete rest["type"];
  const children = yield* childrenOf(bare ? { ...props, properties: {}, items: [] } : props, options, pace);
  return { ...(rest as JsonObject), ...(open ? withoutProperties(children) : children) };
}

function withoutProperties({ properties: _properties, required: _required, ...rest }: JsonObject): JsonObject {
  return rest;
}

function* childrenOf(props: Props, options: CustomDefinitionOptions, pace: Pace): Steps<JsonObject> {
  const items = itemsOf(props);
  const values = additionalOf(props);
  const names = yield* propertyNamesInStep(props);
  const properties: JsonObject = {};
  for (const name of names) setKey(properties, name, yield* publish(props.properties![name]!, options, pace));
  settleKeys(properties, names);
  const embedded = props["x-kubernetes-embedded-resource"] === true;
  const all = embedded ? yield* withMembers(properties, metaProperties(options)) : properties;
  return {
    ...(names.length === 0 && !embedded ? {} : { properties: all }),
    ...(embedded ? { required: [...new Set([...(props.required ?? []), "kind", "apiVersion"])] } : {}),
    ...(items === undefined ? {} : { items: yield* publish(items, options, pace) }),
    ...(values === undefined ? {} : { additionalProperties: yield* publish(values, options, pace) }),
    ...(props.additionalProperties === true ? { additionalProperties: true } : {}),
  };
}
