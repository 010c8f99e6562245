// OpenAPI v2 (Swagger): the definitions of structs. It has no defaults and no alternatives of types.

import type { JsonObject } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { collectDefinitions, type DefinitionOptions, type Definitions, type Flavour } from "./openapi-definitions.ts";
import type { StructSchema } from "./schema.ts";

/** The definitions of the structs and of every type they contain, by name. */
export function definitionsForV2(structs: Iterable<StructSchema>, options: DefinitionOptions): Steps<Definitions> {
  return collectDefinitions(structs, options, FLAVOUR);
}

const TIME_TEXT = "A moment, RFC 3339.";

const FLAVOUR: Flavour = {
  defaults: false,
  reference: (name, markers): JsonObject => ({ ...markers, $ref: `#/definitions/${name}` }),
  wellKnown: {
    time: { description: TIME_TEXT, type: "string", format: "date-time" },
    microTime: { description: `${TIME_TEXT} With microseconds.`, type: "string", format: "date-time" },
    duration: { description: "A duration like 1h2m3s.", type: "string" },
    quantity: { description: "A number with a unit: 500m, 1.5Gi, 2e3.", type: "string" },
    intOrString: { description: "An integer or a string.", type: "string", format: "int-or-string" },
    rawExtension: { description: "Any object.", type: "object" },
    fieldsV1: { description: "A set of fields, as a tree of their names.", type: "object" },
    json: { description: "Any JSON value." },
    propsOrBool: { description: "A schema or a boolean." },
    propsOrArray: { description: "A schema or a list of schemas." },
    propsOrStringArray: { description: "A schema or a list of strings." },
  },
};
