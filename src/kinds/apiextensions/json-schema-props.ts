// The schema of the schemas of custom resources: JSON Schema as upstream limits it.

import type { Json } from "../../base/json.ts";
import { type Describes, type ObjectOf, type Struct, s } from "../../schema/builder.ts";
import type { AnySchema } from "../../schema/schema.ts";

export interface JSONSchemaProps {
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
  { doc: "JSON Schema, as far as custom resources may use it." },
  () => ({
    id: s.string({ proto: 1, optional: true, doc: "Not supported for custom resources: must not be set." }),
    $schema: s.string({
      alias: "JSONSchemaURL",
      proto: 2,
      protoName: "schema",
      optional: true,
      doc: "The dialect of JSON Schema, as a URI. Has no effect.",
    }),
    $ref: s.string({
      proto: 3,
      protoName: "ref",
      optional: true,
      pointer: true,
      doc: "Not supported for custom resources: must not be set.",
    }),
    description: s.string({ proto: 4, optional: true, doc: "What the value means; clients show it to people." }),
    type: s.string({
      proto: 5,
      optional: true,
      doc: "`object`, `array`, `string`, `integer`, `number` or `boolean`. Never set inside allOf, anyOf, oneOf and not.",
    }),
    format: s.string({
      proto: 6,
      optional: true,
      doc: "Format of the value, such as date-time, int64 or ipv4. Known formats are validated, others have no effect.",
    }),
    title: s.string({ proto: 7, optional: true, doc: "Short name of the value, for people." }),
    default: s.any("json", {
      proto: 8,
      optional: true,
      pointer: true,
      doc: "Value that is filled in when there is none. Must itself satisfy the schema.",
    }),
    maximum: s.double({ proto: 9, optional: true, pointer: true, doc: "Greatest number allowed." }),
    exclusiveMaximum: s.boolean({
      proto: 10,
      optional: true,
      doc: "True: the number must be below maximum, not equal to it.",
    }),
    minimum: s.double({ proto: 11, optional: true, pointer: true, doc: "Least number allowed." }),
    exclusiveMinimum: s.boolean({
      proto: 12,
      optional: true,
      doc: "True: the number must be above minimum, not equal to it.",
    }),
    maxLength: s.int64({ proto: 13, optional: true, pointer: true, doc: "Greatest length of the text in characters." }),
    minLength: s.int64({ proto: 14, optional: true, pointer: true, doc: "Least length of the text in characters." }),
    pattern: s.string({
      proto: 15,
      optional: true,
      doc: "Regular expression that must be found in the text; anchor it with ^ and $ to match the whole.",
    }),
    maxItems: s.int64({ proto: 16, optional: true, pointer: true, doc: "Greatest number of items of the array." }),
    minItems: s.int64({ proto: 17, optional: true, pointer: true, doc: "Least number of items of the array." }),
    uniqueItems: s.boolean({
      proto: 18,
      optional: true,
      doc: "Must not be true, for comparing all items is costly. Use a list of type set.",
    }),
    multipleOf: s.double({ proto: 19, optional: true, pointer: true, doc: "The number must be a multiple of this." }),
    enum: s.list(s.anyValue("json"), {
      proto: 20,
      optional: true,
      listType: "atomic",
      doc: "The values that are allowed.",
    }),
    maxProperties: s.int64({
      proto: 21,
      optional: true,
      pointer: true,
      doc: "Greatest number of members of the object.",
    }),
    minProperties: s.int64({ proto: 22, optional: true, pointer: true, doc: "Least number of members of the object." }),
    required: s.list("string", {
      proto: 23,
      optional: true,
      listType: "atomic",
      doc: "Names of members that must be there.",
    }),
    items: s.typed(propsOrArray, {
      proto: 24,
      optional: true,
      pointer: true,
      doc: "Schema of the items of the array; a list of schemas is not supported.",
    }),
    allOf: s.list(jsonSchemaProps, {
      proto: 25,
      optional: true,
      listType: "atomic",
      doc: "The value must satisfy all of these schemas.",
    }),
    oneOf: s.list(jsonSchemaProps, {
      proto: 26,
      optional: true,
      listType: "atomic",
      doc: "The value must satisfy exactly one of these schemas.",
    }),
    anyOf: s.list(jsonSchemaProps, {
      proto: 27,
      optional: true,
      listType: "atomic",
      doc: "The value must satisfy at least one of these schemas.",
    }),
    not: s.of(jsonSchemaProps, {
      proto: 28,
      optional: true,
      pointer: true,
      doc: "The value must not satisfy this schema.",
    }),
    properties: s.map(jsonSchemaProps, {
      proto: 29,
      optional: true,
      doc: "Schemas of the members by name. Members without a schema are pruned unless they are marked to be kept.",
    }),
    additionalProperties: s.typed(propsOrBool, {
      proto: 30,
      optional: true,
      pointer: true,
      doc: "Schema of all members, for objects with free names; excludes properties. True allows any value.",
    }),
    patternProperties: s.map(jsonSchemaProps, {
      proto: 31,
      optional: true,
      doc: "Not supported for custom resources: must not be set.",
    }),
    dependencies: s.map(propsOrStringArray, {
      alias: "JSONSchemaDependencies",
      proto: 32,
      optional: true,
      doc: "Not supported for custom resources: must not be set.",
    }),
    additionalItems: s.typed(propsOrBool, {
      proto: 33,
      optional: true,
      pointer: true,
      doc: "Not supported for custom resources: must not be set.",
    }),
    definitions: s.map(jsonSchemaProps, {
      alias: "JSONSchemaDefinitions",
      proto: 34,
      optional: true,
      doc: "Not supported for custom resources: must not be set.",
    }),
    externalDocs: s.of(externalDocumentation, { proto: 35, optional: true, pointer: true, doc: "Where to read more." }),
    example: s.any("json", { proto: 36, optional: true, pointer: true, doc: "An example of the value, for people." }),
    nullable: s.boolean({
      proto: 37,
      optional: true,
      doc: "True: null is allowed as well. Otherwise null gives way to the default, and without one it is refused.",
    }),
    "x-kubernetes-preserve-unknown-fields": s.boolean({
      proto: 38,
      protoName: "xKubernetesPreserveUnknownFields",
      optional: true,
      pointer: true,
      doc: "True: members that are not in the schema are kept, not pruned. False is not allowed.",
    }),
    "x-kubernetes-embedded-resource": s.boolean({
      proto: 39,
      protoName: "xKubernetesEmbeddedResource",
      optional: true,
      doc: "True: the value is a whole object with apiVersion, kind and metadata, and is validated as one.",
    }),
    "x-kubernetes-int-or-string": s.boolean({
      proto: 40,
      protoName: "xKubernetesIntOrString",
      optional: true,
      doc: "True: the value is an integer or a text; type must then not be set.",
    }),
    "x-kubernetes-list-map-keys": s.list("string", {
      proto: 41,
      protoName: "xKubernetesListMapKeys",
      optional: true,
      listType: "atomic",
      doc: "Members that identify the items of a list of type map; they must be scalars, required or with defaults.",
    }),
    "x-kubernetes-list-type": s.string({
      proto: 42,
      protoName: "xKubernetesListType",
      optional: true,
      pointer: true,
      doc: "How a list is merged: atomic (the default) as a whole, set by value, map by the keys of its items.",
    }),
    "x-kubernetes-map-type": s.string({
      proto: 43,
      protoName: "xKubernetesMapType",
      optional: true,
      pointer: true,
      doc: "How an object is merged: granular (the default) member by member, atomic as a whole.",
    }),
    "x-kubernetes-validations": s.list(validationRule, {
      listAlias: "ValidationRules",
      proto: 44,
      protoName: "xKubernetesValidations",
      optional: true,
      listType: "map",
      mapKeys: ["rule"],
      patchStrategy: ["merge"],
      patchMergeKey: "rule",
      doc: "Rules in CEL that the value must satisfy.",
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

export type ExternalDocumentation = ObjectOf<typeof externalDocumentation>;

export const externalDocumentation = s.struct(
  "apiextensions.v1.ExternalDocumentation",
  { doc: "Points to further documentation." },
  () => ({
    description: s.string({ proto: 1, optional: true, doc: "What is found there." }),
    url: s.string({ proto: 2, optional: true, doc: "Its address." }),
  }),
);

export type ValidationRule = ObjectOf<typeof validationRule>;

export const validationRule = s.struct("apiextensions.v1.ValidationRule", { doc: "A rule in CEL." }, () => ({
  rule: s.string({
    proto: 1,
    doc: "Gives true when the value, self, is good. With oldSelf, it runs only on updates where an old value exists.",
  }),
  message: s.string({
    proto: 2,
    optional: true,
    doc: "Answer when the rule is not met, on one line. When not set, the rule itself is quoted.",
  }),
  messageExpression: s.string({
    proto: 3,
    optional: true,
    doc: "Gives the answer in CEL, in place of message. When it fails or gives no usable text, message is used.",
  }),
  reason: s.enumOf(["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"], {
    alias: "FieldValueErrorReason",
    proto: 4,
    optional: true,
    pointer: true,
    doc: "Reason of the error in the answer; by default FieldValueInvalid.",
  }),
  fieldPath: s.string({
    proto: 5,
    optional: true,
    doc: "Member that the error is reported for, such as .spec.size, relative to self; by default self.",
  }),
  optionalOldSelf: s.boolean({
    proto: 6,
    optional: true,
    pointer: true,
    gate: "CRDValidationRatcheting",
    doc: "True: the rule runs also where there is no old value, and oldSelf is optional. Only for rules with oldSelf.",
  }),
}));
