// The OpenAPI definitions of custom resources, from the schema in their definition.

import { cloneJson, isObject, type Json, type JsonObject } from "../base/json.ts";
import type { Names } from "../meta/names.ts";
import { additionalOf, itemsOf, type Props, propertiesOf } from "./crd-props.ts";
import type { GroupVersionKind } from "./openapi-definitions.ts";
import { componentName, customComponentName } from "./openapi-names.ts";

export interface CustomDefinitionOptions extends GroupVersionKind {
  readonly names: Names;
  readonly listKind: string;
  readonly version: string;
  readonly openApi: "v2" | "v3";
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

function markers({ group, version }: CustomDefinitionOptions, kind: string): JsonObject {
  return { "x-kubernetes-group-version-kind": [{ group, kind, version }] };
}

function rootOf(props: Props | undefined, options: CustomDefinitionOptions): JsonObject {
  if (props === undefined) {
    return { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  }
  const published = publish(props, options);
  // Unknown fields at the root leave nothing that old clients could check.
  if (options.openApi === "v2" && props["x-kubernetes-preserve-unknown-fields"]) {
    return {
      ...(published["description"] === undefined ? {} : { description: published["description"] }),
      type: "object",
    };
  }
  const properties = isObject(published["properties"]) ? published["properties"] : {};
  return { ...published, type: "object", properties: { ...properties, ...metaProperties(options) } };
}

function metaProperties(options: CustomDefinitionOptions): JsonObject {
  return {
    apiVersion: { description: "The group and version of this form of the object.", type: "string" },
    kind: { description: "The kind of the object.", type: "string" },
    metadata: reference("meta.v1.ObjectMeta", "The metadata that every object has.", options),
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
      metadata: reference("meta.v1.ListMeta", "The metadata of the list.", options),
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
  return { ...(cloneJson(rest) as JsonObject), ...publishedChildren(props, options) };
}

const JUNCTORS = ["allOf", "anyOf", "oneOf", "not"];

// Clients of v2 refuse objects with null, with unknown fields beside known ones, or with alternatives, so that all of
// these are published as less than they are.
function publishV2(props: Props, options: CustomDefinitionOptions): JsonObject {
  const open = props["x-kubernetes-preserve-unknown-fields"] === true;
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(props)) {
    const isChild = name === "properties" || name === "items" || name === "additionalProperties";
    if (!isChild && !JUNCTORS.includes(name) && name !== "default" && name !== "nullable")
      rest[name] = cloneJson(value);
  }
  if (props.nullable || props["x-kubernetes-int-or-string"]) delete rest["type"];
  const required = props.required?.filter((name) => !isNullable(props, name));
  if (required !== undefined && required.length > 0) rest["required"] = required;
  else delete rest["required"];
  const children = props.nullable || open ? {} : publishedChildren(props, options);
  return { ...(rest as JsonObject), ...children };
}

function isNullable(props: Props, name: string): boolean {
  return propertiesOf(props).some(([property, schema]) => property === name && schema.nullable);
}

function publishedChildren(props: Props, options: CustomDefinitionOptions): JsonObject {
  const items = itemsOf(props);
  const values = additionalOf(props);
  const properties = propertiesOf(props).map(([name, property]): [string, Json] => [name, publish(property, options)]);
  const meta = props["x-kubernetes-embedded-resource"] ? Object.entries(metaProperties(options)) : [];
  return {
    ...(properties.length + meta.length === 0 ? {} : { properties: Object.fromEntries([...properties, ...meta]) }),
    ...(items === undefined ? {} : { items: publish(items, options) }),
    ...(values === undefined ? {} : { additionalProperties: publish(values, options) }),
    ...(props.additionalProperties === true ? { additionalProperties: true } : {}),
  };
}
