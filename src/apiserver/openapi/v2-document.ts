// Operations in the words of OpenAPI version 2 (Swagger).

import type { JsonObject } from "../../base/json.ts";
import { answerWord, type Operation, type PathEntry, type PathParameter, TEXT } from "./operations.ts";
import { QUERY_PARAMETERS } from "./parameters.ts";

export function v2PathItem(entry: PathEntry): JsonObject {
  const parameters = [...entry.pathParameters.map(pathParameter), ...entry.query.map(reference)];
  return {
    ...Object.fromEntries(entry.operations.map((operation) => [operation.method, v2Operation(operation)])),
    ...(parameters.length === 0 ? {} : { parameters }),
  };
}

/** The parameters that paths refer to. */
export function v2Parameters(): JsonObject {
  return Object.fromEntries(Object.keys(QUERY_PARAMETERS).map((name) => [name, queryParameter(name)]));
}

// One object per parameter: the document names them thousands of times.
const queryParameters = new Map<string, JsonObject>();

function queryParameter(name: string): JsonObject {
  let made = queryParameters.get(name);
  if (made === undefined) {
    const { type, description } = QUERY_PARAMETERS[name]!;
    made = { uniqueItems: true, type, description, name, in: "query" };
    queryParameters.set(name, made);
  }
  return made;
}

function v2Operation(operation: Operation): JsonObject {
  const { body, query = [], about } = operation;
  const parameters = [
    ...(body === undefined
      ? []
      : [
          {
            name: "body",
            in: "body",
            ...(body.required ? { required: true } : {}),
            schema: { $ref: `#/definitions/${body.type}` },
          },
        ]),
    // Not by reference: older clients look here, and only here, for what an operation understands.
    ...query.map(queryParameter),
  ];
  return {
    description: operation.description,
    consumes: [...(body?.mediaTypes ?? ["*/*"])],
    produces: [...operation.produces],
    schemes: ["https"],
    tags: [operation.tag],
    operationId: operation.id,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: Object.fromEntries(
      operation.answers.map(({ code, type }) => [
        String(code),
        { description: answerWord(code), ...(type === undefined ? {} : { schema: schemaOf(type) }) },
      ]),
    ),
    ...(operation.action === undefined ? {} : { "x-kubernetes-action": operation.action }),
    ...(about === undefined ? {} : { "x-kubernetes-group-version-kind": { ...about } }),
  };
}

const schemaOf = (type: string): JsonObject => (type === TEXT ? { type } : { $ref: `#/definitions/${type}` });

const reference = (name: string): JsonObject => ({ $ref: `#/parameters/${name}` });

function pathParameter({ name, description }: PathParameter): JsonObject {
  return { uniqueItems: true, type: "string", description, name, in: "path", required: true };
}
