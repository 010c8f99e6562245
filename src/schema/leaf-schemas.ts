// The schemas of scalars, lists and maps as declarations make them.

import type { Element } from "./declared-types.ts";
import type { ListOptions, MapOptions, ScalarOptions } from "./field-words.ts";
import type { ListSchema, MapSchema, ScalarSchema, ScalarType, Schema } from "./schema.ts";

export function scalarSchema(type: ScalarType, { format, constraints, alias }: ScalarOptions): ScalarSchema {
  if (format === undefined && constraints === undefined && alias === undefined) return sharedScalar(type);
  return {
    type: "scalar",
    scalar: type,
    ...(format !== undefined && { format }),
    ...(constraints && { constraints }),
    ...(alias !== undefined && { alias }),
  };
}

const SHARED_SCALARS = new Map<ScalarType, ScalarSchema>();

/** One schema for all fields of a plain scalar type: readers compile it once. */
function sharedScalar(type: ScalarType): ScalarSchema {
  let schema = SHARED_SCALARS.get(type);
  if (schema === undefined) {
    schema = { type: "scalar", scalar: type };
    SHARED_SCALARS.set(type, schema);
  }
  return schema;
}

export function mapSchema(element: Element, { mapType, alias }: MapOptions): MapSchema {
  return {
    type: "map",
    values: elementSchema(element),
    ...(mapType && { mapType }),
    ...(alias !== undefined && { alias }),
  };
}

export function listSchema(element: Element, options: ListOptions): ListSchema {
  const { listType, mapKeys, protoWrapper, alias, listAlias = protoWrapper } = options;
  const items = elementSchema(element);
  return {
    type: "list",
    items: alias === undefined ? items : { ...items, alias },
    ...(listType && { listType }),
    ...(mapKeys && { mapKeys }),
    ...(protoWrapper !== undefined && { protoWrapper }),
    ...(listAlias !== undefined && { alias: listAlias }),
  };
}

function elementSchema(element: Element): Schema {
  return typeof element === "string" ? sharedScalar(element) : element;
}
