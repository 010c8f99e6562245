// The schema of CustomResourceDefinition.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { jsonSchemaProps } from "./json-schema-props.ts";

export type CustomResourceDefinition = ObjectOf<typeof customResourceDefinitionSchema>;

export const customResourceDefinitionSchema = objectSchema(
  "apiextensions.v1.CustomResourceDefinition",
  { doc: "A kind that users add." },
  () => ({
    spec: s.of(customResourceDefinitionSpec, { proto: 2 }),
    status: s.of(customResourceDefinitionStatus, { proto: 3, optional: true }),
  }),
);

export type CustomResourceDefinitionSpec = ObjectOf<typeof customResourceDefinitionSpec>;

export const customResourceDefinitionSpec = s.struct("apiextensions.v1.CustomResourceDefinitionSpec", () => ({
  group: s.string({ proto: 1 }),
  names: s.of(customResourceDefinitionNames, { proto: 3 }),
  scope: s.string({ proto: 4 }),
  versions: s.list(customResourceDefinitionVersion, { proto: 7, listType: "atomic" }),
  conversion: s.of(customResourceConversion, { proto: 9, optional: true, pointer: true }),
  preserveUnknownFields: s.boolean({ proto: 10, optional: true }),
}));

export type CustomResourceDefinitionNames = ObjectOf<typeof customResourceDefinitionNames>;

export const customResourceDefinitionNames = s.struct("apiextensions.v1.CustomResourceDefinitionNames", () => ({
  plural: s.string({ proto: 1 }),
  singular: s.string({ proto: 2, optional: true }),
  shortNames: s.list("string", { proto: 3, optional: true, listType: "atomic" }),
  kind: s.string({ proto: 4 }),
  listKind: s.string({ proto: 5, optional: true }),
  categories: s.list("string", { proto: 6, optional: true, listType: "atomic" }),
}));

export type CustomResourceDefinitionVersion = ObjectOf<typeof customResourceDefinitionVersion>;

export const customResourceDefinitionVersion = s.struct("apiextensions.v1.CustomResourceDefinitionVersion", () => ({
  name: s.string({ proto: 1 }),
  served: s.boolean({ proto: 2 }),
  storage: s.boolean({ proto: 3 }),
  deprecated: s.boolean({ proto: 7, optional: true }),
  deprecationWarning: s.string({ proto: 8, optional: true, pointer: true }),
  schema: s.of(customResourceValidation, { proto: 4, optional: true, pointer: true }),
  subresources: s.of(customResourceSubresources, { proto: 5, optional: true, pointer: true }),
  additionalPrinterColumns: s.list(customResourceColumnDefinition, { proto: 6, optional: true, listType: "atomic" }),
  selectableFields: s.list(selectableField, {
    proto: 9,
    optional: true,
    listType: "atomic",
    gate: "CustomResourceFieldSelectors",
  }),
}));

export type CustomResourceValidation = ObjectOf<typeof customResourceValidation>;

export const customResourceValidation = s.struct("apiextensions.v1.CustomResourceValidation", () => ({
  openAPIV3Schema: s.of(jsonSchemaProps, { proto: 1, optional: true, pointer: true }),
}));

export type CustomResourceSubresources = ObjectOf<typeof customResourceSubresources>;

export const customResourceSubresources = s.struct("apiextensions.v1.CustomResourceSubresources", () => ({
  status: s.of(customResourceSubresourceStatus, { proto: 1, optional: true, pointer: true }),
  scale: s.of(customResourceSubresourceScale, { proto: 2, optional: true, pointer: true }),
}));

export type CustomResourceSubresourceStatus = ObjectOf<typeof customResourceSubresourceStatus>;

export const customResourceSubresourceStatus = s.struct("apiextensions.v1.CustomResourceSubresourceStatus", () => ({}));

export type CustomResourceSubresourceScale = ObjectOf<typeof customResourceSubresourceScale>;

export const customResourceSubresourceScale = s.struct("apiextensions.v1.CustomResourceSubresourceScale", () => ({
  specReplicasPath: s.string({ proto: 1 }),
  statusReplicasPath: s.string({ proto: 2 }),
  labelSelectorPath: s.string({ proto: 3, optional: true, pointer: true }),
}));

export type CustomResourceColumnDefinition = ObjectOf<typeof customResourceColumnDefinition>;

export const customResourceColumnDefinition = s.struct("apiextensions.v1.CustomResourceColumnDefinition", () => ({
  name: s.string({ proto: 1 }),
  type: s.string({ proto: 2 }),
  format: s.string({ proto: 3, optional: true }),
  description: s.string({ proto: 4, optional: true }),
  priority: s.int32({ proto: 5, optional: true }),
  jsonPath: s.string({ proto: 6 }),
}));

export type SelectableField = ObjectOf<typeof selectableField>;

export const selectableField = s.struct("apiextensions.v1.SelectableField", () => ({
  jsonPath: s.string({ proto: 1 }),
}));

export type CustomResourceConversion = ObjectOf<typeof customResourceConversion>;

export const customResourceConversion = s.struct("apiextensions.v1.CustomResourceConversion", () => ({
  strategy: s.string({ proto: 1 }),
  webhook: s.of(webhookConversion, { proto: 2, optional: true, pointer: true }),
}));

export type WebhookConversion = ObjectOf<typeof webhookConversion>;

export const webhookConversion = s.struct("apiextensions.v1.WebhookConversion", () => ({
  clientConfig: s.of(webhookClientConfig, { proto: 2, optional: true, pointer: true }),
  conversionReviewVersions: s.list("string", { proto: 3, listType: "atomic" }),
}));

export type WebhookClientConfig = ObjectOf<typeof webhookClientConfig>;

export const webhookClientConfig = s.struct("apiextensions.v1.WebhookClientConfig", () => ({
  url: s.string({ proto: 3, optional: true, pointer: true }),
  service: s.of(serviceReference, { proto: 1, optional: true, pointer: true }),
  caBundle: s.bytes({ proto: 2, optional: true }),
}));

export type ServiceReference = ObjectOf<typeof serviceReference>;

export const serviceReference = s.struct("apiextensions.v1.ServiceReference", () => ({
  namespace: s.string({ proto: 1 }),
  name: s.string({ proto: 2 }),
  path: s.string({ proto: 3, optional: true, pointer: true }),
  port: s.int32({ proto: 4, optional: true, pointer: true }),
}));

export type CustomResourceDefinitionStatus = ObjectOf<typeof customResourceDefinitionStatus>;

export const customResourceDefinitionStatus = s.struct("apiextensions.v1.CustomResourceDefinitionStatus", () => ({
  conditions: s.list(customResourceDefinitionCondition, {
    proto: 1,
    required: false,
    listType: "map",
    mapKeys: ["type"],
  }),
  acceptedNames: s.of(customResourceDefinitionNames, { proto: 2, required: false }),
  storedVersions: s.list("string", { proto: 3, required: false, listType: "atomic" }),
}));

export type CustomResourceDefinitionCondition = ObjectOf<typeof customResourceDefinitionCondition>;

export const customResourceDefinitionCondition = s.struct("apiextensions.v1.CustomResourceDefinitionCondition", () => ({
  type: s.string({ proto: 1 }),
  status: s.string({ proto: 2 }),
  lastTransitionTime: s.time({ proto: 3, required: false }),
  reason: s.string({ proto: 4, optional: true }),
  message: s.string({ proto: 5, optional: true }),
}));
