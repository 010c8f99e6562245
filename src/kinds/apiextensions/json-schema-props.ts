// The schema of the schemas of custom resources: JSON Schema as upstream limits it.

import type { Json } from "../../base/json.ts";
import { type Describes, type ObjectOf, opt, ptr, type Struct, s } from "../../schema/builder.ts";
import type { AnySchema } from "../../schema/schema.ts";

interface JSONSchemaProps {
  id?: string;
  $schema?: string;
  $ref?: string;
  description?: string;
  type?: string;
  format?: string;
  title?: string;
  default?: Json;
  maximum?: number;
  exclusiveMaximum?: boolean;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  maxItems?: number;
  minItems?: number;
  uniqueItems?: boolean;
  multipleOf?: number;
  enum?: Json[];
  maxProperties?: number;
  minProperties?: number;
  required?: string[];
  items?: JSONSchemaProps | JSONSchemaProps[];
  allOf?: JSONSchemaProps[];
  oneOf?: JSONSchemaProps[];
  anyOf?: JSONSchemaProps[];
  not?: JSONSchemaProps;
  properties?: Record<string, JSONSchemaProps>;
  additionalProperties?: JSONSchemaProps | boolean;
  patternProperties?: Record<string, JSONSchemaProps>;
  dependencies?: Record<string, JSONSchemaProps | string[]>;
  additionalItems?: JSONSchemaProps | boolean;
  definitions?: Record<string, JSONSchemaProps>;
  externalDocs?: ExternalDocumentation;
  example?: Json;
  nullable?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-validations"?: ValidationRule[];
}

export const jsonSchemaProps: Struct<JSONSchemaProps> = s.struct<JSONSchemaProps>(
  "apiextensions.v1.JSONSchemaProps",
  "JSON Schema, as far as custom resources may use it.",
  {},
  () => ({
    id: opt.string(1, "Not supported for custom resources: must not be set."),
    $schema: opt.named("JSONSchemaURL", 2, "The dialect of JSON Schema, as a URI. Has no effect.", {
      protoName: "schema",
    }),
    $ref: ptr.string(3, "Not supported for custom resources: must not be set.", { protoName: "ref" }),
    description: opt.string(4, "What the value means; clients show it to people."),
    type: opt.string(
      5,
      "`object`, `array`, `string`, `integer`, `number` or `boolean`. Never set inside allOf, anyOf, oneOf and not.",
    ),
    format: opt.string(
      6,
      "Format of the value, such as date-time, int64 or ipv4. Known formats are validated, others have no effect.",
    ),
    title: opt.string(7, "Short name of the value, for people."),
    default: ptr.any("json", 8, "Value that is filled in when there is none. Must itself satisfy the schema."),
    maximum: ptr.double(9, "Greatest number allowed."),
    exclusiveMaximum: opt.boolean(10, "True: the number must be below maximum, not equal to it."),
    minimum: ptr.double(11, "Least number allowed."),
    exclusiveMinimum: opt.boolean(12, "True: the number must be above minimum, not equal to it."),
    maxLength: ptr.int64(13, "Greatest length of the text in characters."),
    minLength: ptr.int64(14, "Least length of the text in characters."),
    pattern: opt.string(
      15,
      "Regular expression that must be found in the text; anchor it with ^ and $ to match the whole.",
    ),
    maxItems: ptr.int64(16, "Greatest number of items of the array."),
    minItems: ptr.int64(17, "Least number of items of the array."),
    uniqueItems: opt.boolean(18, "Must not be true, for comparing all items is costly. Use a list of type set."),
    multipleOf: ptr.double(19, "The number must be a multiple of this."),
    enum: opt.atomic(s.anyValue("json"), 20, "The values that are allowed."),
    maxProperties: ptr.int64(21, "Greatest number of members of the object."),
    minProperties: ptr.int64(22, "Least number of members of the object."),
    required: opt.atomic("string", 23, "Names of members that must be there."),
    items: ptr.typed(propsOrArray, 24, "Schema of the items of the array; a list of schemas is not supported."),
    allOf: opt.atomic(jsonSchemaProps, 25, "The value must satisfy all of these schemas."),
    oneOf: opt.atomic(jsonSchemaProps, 26, "The value must satisfy exactly one of these schemas."),
    anyOf: opt.atomic(jsonSchemaProps, 27, "The value must satisfy at least one of these schemas."),
    not: ptr.of(jsonSchemaProps, 28, "The value must not satisfy this schema."),
    properties: opt.map(
      jsonSchemaProps,
      29,
      "Schemas of the members by name. Members without a schema are pruned unless they are marked to be kept.",
    ),
    additionalProperties: ptr.typed(
      propsOrBool,
      30,
      "Schema of all members, for objects with free names; excludes properties. True allows any value.",
    ),
    patternProperties: opt.map(jsonSchemaProps, 31, "Not supported for custom resources: must not be set."),
    // An empty one is refused too.
    dependencies: opt.map(propsOrStringArray, 32, "Not supported for custom resources: must not be set.", {
      keepEmpty: true,
      alias: "JSONSchemaDependencies",
    }),
    additionalItems: ptr.typed(propsOrBool, 33, "Not supported for custom resources: must not be set."),
    definitions: opt.map(jsonSchemaProps, 34, "Not supported for custom resources: must not be set.", {
      alias: "JSONSchemaDefinitions",
    }),
    externalDocs: ptr.of(externalDocumentation, 35, "Where to read more."),
    example: ptr.any("json", 36, "An example of the value, for people."),
    nullable: opt.boolean(
      37,
      "True: null is allowed as well. Otherwise null gives way to the default, and without one it is refused.",
    ),
    "x-kubernetes-preserve-unknown-fields": ptr.boolean(
      38,
      "True: members that are not in the schema are kept, not pruned. False is not allowed.",
      { protoName: "xKubernetesPreserveUnknownFields" },
    ),
    "x-kubernetes-embedded-resource": opt.boolean(
      39,
      "True: the value is a whole object with apiVersion, kind and metadata, and is validated as one.",
      { protoName: "xKubernetesEmbeddedResource" },
    ),
    "x-kubernetes-int-or-string": opt.boolean(
      40,
      "True: the value is an integer or a text; type must then not be set.",
      { protoName: "xKubernetesIntOrString" },
    ),
    "x-kubernetes-list-map-keys": opt.atomic(
      "string",
      41,
      "Members that identify the items of a list of type map; they must be scalars, required or with defaults.",
      { protoName: "xKubernetesListMapKeys" },
    ),
    "x-kubernetes-list-type": ptr.string(
      42,
      "How a list is merged: atomic (the default) as a whole, set by value, map by the keys of its items.",
      { protoName: "xKubernetesListType" },
    ),
    "x-kubernetes-map-type": ptr.string(
      43,
      "How an object is merged: granular (the default) member by member, atomic as a whole.",
      { protoName: "xKubernetesMapType" },
    ),
    "x-kubernetes-validations": opt.listBy("rule", validationRule, 44, "Rules in CEL that the value must satisfy.", {
      listAlias: "ValidationRules",
      protoName: "xKubernetesValidations",
    }),
  }),
);

const propsOrArray: AnySchema & Describes<JSONSchemaProps | JSONSchemaProps[]> = {
  type: "any",
  wire: "propsOrArray",
  member: () => jsonSchemaProps,
};

const propsOrBool: AnySchema & Describes<JSONSchemaProps | boolean> = {
  type: "any",
  wire: "propsOrBool",
  member: () => jsonSchemaProps,
};

const propsOrStringArray: AnySchema & Describes<JSONSchemaProps | string[]> = {
  type: "any",
  wire: "propsOrStringArray",
  member: () => jsonSchemaProps,
};

type ExternalDocumentation = ObjectOf<typeof externalDocumentation>;

const externalDocumentation = s.struct(
  "apiextensions.v1.ExternalDocumentation",
  "Points to further documentation.",
  () => ({
    description: opt.string(1, "What is found there."),
    url: opt.string(2, "Its address."),
  }),
);

type ValidationRule = ObjectOf<typeof validationRule>;

const validationRule = s.struct("apiextensions.v1.ValidationRule", "A rule in CEL.", () => ({
  rule: s.string(
    1,
    "Gives true when the value, self, is good. With oldSelf, it runs only on updates where an old value exists.",
  ),
  message: opt.string(2, "Answer when the rule is not met, on one line. When not set, the rule itself is quoted."),
  messageExpression: opt.string(
    3,
    "Gives the answer in CEL, in place of message. When it fails or gives no usable text, message is used.",
  ),
  reason: ptr.enumOf(
    "FieldValueErrorReason",
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"],
    4,
    "Reason of the error in the answer; by default FieldValueInvalid.",
  ),
  fieldPath: opt.string(
    5,
    "Member that the error is reported for, such as .spec.size, relative to self; by default self.",
  ),
  optionalOldSelf: ptr.boolean(
    6,
    "True: the rule runs also where there is no old value, and oldSelf is optional. Only for rules with oldSelf.",
    { gate: "CRDValidationRatcheting" },
  ),
}));
