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
    id: s.string({ proto: 1, optional: true }),
    $schema: s.string({ proto: 2, protoName: "schema", optional: true }),
    $ref: s.string({ proto: 3, protoName: "ref", optional: true, pointer: true }),
    description: s.string({ proto: 4, optional: true }),
    type: s.string({ proto: 5, optional: true }),
    format: s.string({ proto: 6, optional: true }),
    title: s.string({ proto: 7, optional: true }),
    default: s.any("json", { proto: 8, optional: true, pointer: true }),
    maximum: s.double({ proto: 9, optional: true, pointer: true }),
    exclusiveMaximum: s.boolean({ proto: 10, optional: true }),
    minimum: s.double({ proto: 11, optional: true, pointer: true }),
    exclusiveMinimum: s.boolean({ proto: 12, optional: true }),
    maxLength: s.int64({ proto: 13, optional: true, pointer: true }),
    minLength: s.int64({ proto: 14, optional: true, pointer: true }),
    pattern: s.string({ proto: 15, optional: true }),
    maxItems: s.int64({ proto: 16, optional: true, pointer: true }),
    minItems: s.int64({ proto: 17, optional: true, pointer: true }),
    uniqueItems: s.boolean({ proto: 18, optional: true }),
    multipleOf: s.double({ proto: 19, optional: true, pointer: true }),
    enum: s.list(s.anyValue("json"), { proto: 20, optional: true, listType: "atomic" }),
    maxProperties: s.int64({ proto: 21, optional: true, pointer: true }),
    minProperties: s.int64({ proto: 22, optional: true, pointer: true }),
    required: s.list("string", { proto: 23, optional: true, listType: "atomic" }),
    items: s.typed(propsOrArray, { proto: 24, optional: true, pointer: true }),
    allOf: s.list(jsonSchemaProps, { proto: 25, optional: true, listType: "atomic" }),
    oneOf: s.list(jsonSchemaProps, { proto: 26, optional: true, listType: "atomic" }),
    anyOf: s.list(jsonSchemaProps, { proto: 27, optional: true, listType: "atomic" }),
    not: s.of(jsonSchemaProps, { proto: 28, optional: true, pointer: true }),
    properties: s.map(jsonSchemaProps, { proto: 29, optional: true }),
    additionalProperties: s.typed(propsOrBool, { proto: 30, optional: true, pointer: true }),
    patternProperties: s.map(jsonSchemaProps, { proto: 31, optional: true }),
    dependencies: s.map(propsOrStringArray, { proto: 32, optional: true }),
    additionalItems: s.typed(propsOrBool, { proto: 33, optional: true, pointer: true }),
    definitions: s.map(jsonSchemaProps, { proto: 34, optional: true }),
    externalDocs: s.of(externalDocumentation, { proto: 35, optional: true, pointer: true }),
    example: s.any("json", { proto: 36, optional: true, pointer: true }),
    nullable: s.boolean({ proto: 37, optional: true }),
    "x-kubernetes-preserve-unknown-fields": s.boolean({
      proto: 38,
      protoName: "xKubernetesPreserveUnknownFields",
      optional: true,
      pointer: true,
    }),
    "x-kubernetes-embedded-resource": s.boolean({
      proto: 39,
      protoName: "xKubernetesEmbeddedResource",
      optional: true,
    }),
    "x-kubernetes-int-or-string": s.boolean({ proto: 40, protoName: "xKubernetesIntOrString", optional: true }),
    "x-kubernetes-list-map-keys": s.list("string", {
      proto: 41,
      protoName: "xKubernetesListMapKeys",
      optional: true,
      listType: "atomic",
    }),
    "x-kubernetes-list-type": s.string({ proto: 42, protoName: "xKubernetesListType", optional: true, pointer: true }),
    "x-kubernetes-map-type": s.string({ proto: 43, protoName: "xKubernetesMapType", optional: true, pointer: true }),
    "x-kubernetes-validations": s.list(validationRule, {
      proto: 44,
      protoName: "xKubernetesValidations",
      optional: true,
      listType: "map",
      mapKeys: ["rule"],
      patchStrategy: ["merge"],
      patchMergeKey: "rule",
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

export const externalDocumentation = s.struct("apiextensions.v1.ExternalDocumentation", () => ({
  description: s.string({ proto: 1, optional: true }),
  url: s.string({ proto: 2, optional: true }),
}));

export type ValidationRule = ObjectOf<typeof validationRule>;

export const validationRule = s.struct("apiextensions.v1.ValidationRule", () => ({
  rule: s.string({ proto: 1 }),
  message: s.string({ proto: 2, optional: true }),
  messageExpression: s.string({ proto: 3, optional: true }),
  reason: s.enumOf(["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"], {
    proto: 4,
    optional: true,
    pointer: true,
  }),
  fieldPath: s.string({ proto: 5, optional: true }),
  optionalOldSelf: s.boolean({ proto: 6, optional: true, pointer: true, gate: "CRDValidationRatcheting" }),
}));
