// The OpenAPI definitions of custom resources, from the schema in their definition.

import { append } from "../base/append.ts";
import { cloneJson, isObject, type Json, type JsonObject } from "../base/json.ts";
import type { Names } from "../meta/names.ts";
import type { GroupVersionKind } from "../meta/object.ts";
import { additionalOf, itemsOf, type Props, propertiesOf, propertyOf } from "./crd-props.ts";
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
export function customDefinitions(
  props: Props | undefined,
  options: CustomDefinitionOptions,
): Record<string, JsonObject> {
  const { group, version, kind, listKind } = options;
  const name = customComponentName(group, version, kind);
  const listName = customComponentName(group, version, listKind);
  return {
    [name]: { ...rootOf(props, options), ...markers(options, kind) },
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

function rootOf(props: Props | undefined, options: CustomDefinitionOptions): JsonObject {
  // Where unknown fields are welcome, a client of v2 that is told of any field refuses all others.
  const open = props?.["x-kubernetes-preserve-unknown-fields"] === true;
  if (props === undefined || (open && options.openApi === "v2")) return { type: "object" };
  const published = publish(props, options);
  const properties = isObject(published["properties"]) ? published["properties"] : {};
  return { ...published, type: "object", properties: { ...properties, ...metaProperties(options) } };
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

function publish(props: Props, options: CustomDefinitionOptions): JsonObject {
  return options.openApi === "v2" ? publishV2(props, options) : publishV3(props, options);
}

function publishV3(props: Props, options: CustomDefinitionOptions): JsonObject {
  const { properties: _properties, items: _items, additionalProperties: _additional, ...rest } = props;
  return { ...(cloneJson(rest) as JsonObject), ...childrenOf(props, options) };
}

const LEFT_OUT = new Set(["properties", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "not", "nullable"]);

// Clients of v2 refuse objects with null, with unknown fields beside known ones, or with alternatives, so that all of
// these are published as less than they are.
function publishV2(props: Props, options: CustomDefinitionOptions): JsonObject {
  const open = props["x-kubernetes-preserve-unknown-fields"] === true;
  const bare = props.nullable === true || open;
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(props)) if (!LEFT_OUT.has(name)) rest[name] = cloneJson(value);
  const required = additionalOf(props)?.nullable
    ? []
    : props.required?.filter((name) => !propertyOf(props, name)?.nullable);
  if (required === undefined || required.length === 0) delete rest["required"];
  else rest["required"] = required;
  const untyped =
    props.nullable || (props.type === "object" && open) || (props.type === "array" && (bare || !props.items));
  if (untyped) delete rest["type"];
  const children = childrenOf(bare ? { ...props, properties: {}, items: [] } : props, options);
  return { ...(rest as JsonObject), ...(open ? withoutProperties(children) : children) };
}

function withoutProperties({ properties: _properties, required: _required, ...rest }: JsonObject): JsonObject {
  return rest;
}

function childrenOf(props: Props, options: CustomDefinitionOptions): JsonObject {
  const items = itemsOf(props);
  const values = additionalOf(props);
  const properties = propertiesOf(props).map(([name, property]): [string, Json] => [name, publish(property, options)]);
  const embedded = props["x-kubernetes-embedded-resource"] === true;
  if (embedded) append(properties, Object.entries(metaProperties(options)) as [string, Json][]);
  return {
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(embedded ? { required: [...new Set([...(props.required ?? []), "kind", "apiVersion"])] } : {}),
    ...(items === undefined ? {} : { items: publish(items, options) }),
    ...(values === undefined ? {} : { additionalProperties: publish(values, options) }),
    ...(props.additionalProperties === true ? { additionalProperties: true } : {}),
  };
}
