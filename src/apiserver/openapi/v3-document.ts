// Operations in the words of OpenAPI version 3.

import type { JsonObject } from "../../base/json.ts";
import { answerWord, type Operation, type PathEntry, type PathParameter, TEXT } from "./operations.ts";
import { QUERY_PARAMETERS } from "./parameters.ts";

export function v3PathItem(entry: PathEntry): JsonObject {
  const parameters = [...entry.pathParameters.map(pathParameter), ...entry.query.map(queryParameter)];
  return {
    ...Object.fromEntries(entry.operations.map((operation) => [operation.method, v3Operation(operation)])),
    ...(parameters.length === 0 ? {} : { parameters }),
  };
}

function v3Operation(operation: Operation): JsonObject {
  const { body, query, about } = operation;
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    ...(query === undefined || query.length === 0 ? {} : { parameters: query.map(queryParameter) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: { content: contentOf(body.mediaTypes, body.type), ...(body.required ? { required: true } : {}) },
        }),
    responses: Object.fromEntries(
      operation.answers.map(({ code, type }) => [
        String(code),
        {
          description: answerWord(code),
          ...(type === undefined ? {} : { content: contentOf(operation.produces, type) }),
        },
      ]),
    ),
    ...(operation.action === undefined ? {} : { "x-kubernetes-action": operation.action }),
    ...(about === undefined ? {} : { "x-kubernetes-group-version-kind": { ...about } }),
  };
}

function contentOf(mediaTypes: readonly string[], type: string): JsonObject {
  const schema = type === TEXT ? { type: TEXT } : { $ref: `#/components/schemas/${type}` };
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}

function pathParameter({ name, description }: PathParameter): JsonObject {
  return { name, in: "path", description, required: true, schema: UNIQUE.string };
}

const UNIQUE = {
  string: { type: "string", uniqueItems: true },
  boolean: { type: "boolean", uniqueItems: true },
  integer: { type: "integer", uniqueItems: true },
} as const;

// One object per parameter: documents name them thousands of times.
const queryParameters = new Map<string, JsonObject>();

function queryParameter(name: string): JsonObject {
  let made = queryParameters.get(name);
  if (made === undefined) {
    const { type, description } = QUERY_PARAMETERS[name]!;
    made = { name, in: "query", description, schema: UNIQUE[type] };
    queryParameters.set(name, made);
  }
  return made;
}
