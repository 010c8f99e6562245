// A document of version 2 in the words of version 3, for servers behind that know no other.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { OtherDocument } from "./other-documents.ts";
import { mapReferences } from "./references.ts";

export function convertToV3({ paths, definitions, parameters }: OtherDocument): {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
} {
  const shared = (parameter: Json): Json => {
    const reference = isObject(parameter) ? parameter["$ref"] : undefined;
    const name = typeof reference === "string" ? reference.replace(/^#\/parameters\//, "") : undefined;
    return name === undefined || !Object.hasOwn(parameters, name) ? parameter : parameters[name]!;
  };
  return mapReferences({ paths: mapObject(paths, (item) => pathItem(item, shared)), definitions }, (reference) =>
    reference.replace(/^#\/definitions\//, "#/components/schemas/"),
  ) as { paths: JsonObject; definitions: JsonObject };
}

const METHODS: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "options", "head", "patch"]);

function pathItem(item: JsonObject, shared: (parameter: Json) => Json): JsonObject {
  const entries = Object.entries(item).map(([key, value]): [string, Json | undefined] => {
    if (METHODS.has(key) && isObject(value)) return [key, operation(value, shared)];
    if (key === "parameters") return [key, otherParameters(listOf(value).map(shared))];
    return [key, value];
  });
  return Object.fromEntries(entries) as JsonObject;
}

const TURNED: ReadonlySet<string> = new Set(["consumes", "produces", "parameters", "responses", "schemes"]);

function operation(value: JsonObject, shared: (parameter: Json) => Json): JsonObject {
  const parameters = listOf(value["parameters"]).map(shared);
  const body = parameters.find((one) => isObject(one) && one["in"] === "body");
  const others = otherParameters(parameters);
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !TURNED.has(key))) as JsonObject;
  return {
    ...rest,
    ...(others.length === 0 ? {} : { parameters: others }),
    ...(isObject(body) ? { requestBody: requestBody(body, mediaTypes(value["consumes"])) } : {}),
    responses: mapObject(value["responses"], (answer) => response(answer, mediaTypes(value["produces"]))),
  };
}

function requestBody({ description, schema, required }: JsonObject, types: readonly string[]): JsonObject {
  return {
    ...(description === undefined ? {} : { description }),
    content: contentOf(types, schema),
    ...(required === true ? { required } : {}),
  };
}

function response(answer: JsonObject, types: readonly string[]): JsonObject {
  const { schema, headers: _headers, examples: _examples, ...rest } = answer;
  return schema === undefined ? rest : { ...rest, content: contentOf(types, schema) };
}

function contentOf(types: readonly string[], schema: Json | undefined): JsonObject {
  return Object.fromEntries(types.map((type) => [type, schema === undefined ? {} : { schema }])) as JsonObject;
}

/** Of these a parameter of version 3 is made, all else describes its values. */
const OF_PARAMETER: ReadonlySet<string> = new Set(["name", "in", "description", "required", "allowEmptyValue"]);

function otherParameters(parameters: readonly Json[]): Json[] {
  return parameters.filter(isObject).flatMap((one) => {
    if (one["in"] === "body") return [];
    const own: [string, Json | undefined][] = [];
    const schema: [string, Json | undefined][] = [];
    for (const entry of Object.entries(one))
      (OF_PARAMETER.has(entry[0]) || entry[0].startsWith("x-") ? own : schema).push(entry);
    return [
      {
        ...Object.fromEntries(own),
        ...(schema.length === 0 ? {} : { schema: Object.fromEntries(schema) }),
      } as JsonObject,
    ];
  });
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

function mediaTypes(value: Json | undefined): string[] {
  const types = listOf(value).filter((one): one is string => typeof one === "string");
  return types.length === 0 ? ["*/*"] : types;
}

function mapObject(value: Json | undefined, change: (part: JsonObject) => JsonObject): JsonObject {
  if (!isObject(value)) return {};
  const entries = Object.entries(value).flatMap(([key, part]) => (isObject(part) ? [[key, change(part)]] : []));
  return Object.fromEntries(entries) as JsonObject;
}
