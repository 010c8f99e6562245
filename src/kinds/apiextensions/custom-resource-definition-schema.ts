// The schema of CustomResourceDefinition.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { jsonSchemaProps } from "./json-schema-props.ts";

export type CustomResourceDefinition = ObjectOf<typeof customResourceDefinitionSchema>;

export const customResourceDefinitionSchema = objectSchema(
  "apiextensions.v1.CustomResourceDefinition",
  { doc: "A kind that users add." },
  () => ({
    spec: s.of(customResourceDefinitionSpec, { proto: 2, doc: "The kind: its names, versions and schemas." }),
    status: s.of(customResourceDefinitionStatus, {
      proto: 3,
      optional: true,
      doc: "Whether the kind is served, and under which names.",
    }),
  }),
);

export type CustomResourceDefinitionSpec = ObjectOf<typeof customResourceDefinitionSpec>;

export const customResourceDefinitionSpec = s.struct(
  "apiextensions.v1.CustomResourceDefinitionSpec",
  { doc: "A kind: its names, its versions with their schemas, and how objects are converted." },
  () => ({
    group: s.string({
      proto: 1,
      doc: "API group of the kind, such as example.com. The definition must be named plural.group.",
    }),
    names: s.of(customResourceDefinitionNames, { proto: 3, doc: "Names of the kind and of its resource." }),
    scope: s.string({
      alias: "ResourceScope",
      proto: 4,
      doc: "Namespaced: objects live in namespaces. Cluster: they do not. Cannot be changed once established.",
    }),
    versions: s.list(customResourceDefinitionVersion, {
      proto: 7,
      listType: "atomic",
      doc: "Versions of the kind. Exactly one is stored; discovery lists stable versions first, newest first.",
    }),
    conversion: s.of(customResourceConversion, {
      proto: 9,
      optional: true,
      pointer: true,
      doc: "How objects are converted between versions; by default only apiVersion is replaced.",
    }),
    preserveUnknownFields: s.boolean({
      proto: 10,
      optional: true,
      doc: "Must be false. To keep fields that are not in the schema, mark the places in the schema itself.",
    }),
  }),
);

export type CustomResourceDefinitionNames = ObjectOf<typeof customResourceDefinitionNames>;

export const customResourceDefinitionNames = s.struct(
  "apiextensions.v1.CustomResourceDefinitionNames",
  { doc: "The names of a kind. They must not clash with those of other kinds in the group." },
  () => ({
    plural: s.string({
      proto: 1,
      doc: "Name of the resource in paths, plural and in lower case, as in /apis/group/version/plural.",
    }),
    singular: s.string({ proto: 2, optional: true, doc: "Singular in lower case; by default the kind in lower case." }),
    shortNames: s.list("string", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Abbreviations in lower case that command lines accept.",
    }),
    kind: s.string({ proto: 4, doc: "The kind as it stands in objects, in CamelCase and singular." }),
    listKind: s.string({
      proto: 5,
      optional: true,
      doc: "The kind of lists of the objects; by default kind followed by List.",
    }),
    categories: s.list("string", {
      proto: 6,
      optional: true,
      listType: "atomic",
      doc: "Groups of resources that this one is listed with, such as all.",
    }),
  }),
);

export type CustomResourceDefinitionVersion = ObjectOf<typeof customResourceDefinitionVersion>;

export const customResourceDefinitionVersion = s.struct(
  "apiextensions.v1.CustomResourceDefinitionVersion",
  { doc: "One version of a kind." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of the version in paths and in apiVersion, such as v1beta1." }),
    served: s.boolean({ proto: 2, doc: "Whether clients can use this version." }),
    storage: s.boolean({ proto: 3, doc: "Whether objects are stored in this version. True for exactly one." }),
    deprecated: s.boolean({
      proto: 7,
      optional: true,
      doc: "Whether clients that use this version are warned. By default false.",
    }),
    deprecationWarning: s.string({
      proto: 8,
      optional: true,
      pointer: true,
      doc: "Text of that warning, at most 256 characters, in place of the usual one. Only when deprecated.",
    }),
    schema: s.of(customResourceValidation, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "What objects of this version look like. Required.",
    }),
    subresources: s.of(customResourceSubresources, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Which subresources the objects have; by default none.",
    }),
    additionalPrinterColumns: s.list(customResourceColumnDefinition, {
      proto: 6,
      optional: true,
      listType: "atomic",
      doc: "Columns of tables that clients show; by default the age of objects.",
    }),
    selectableFields: s.list(selectableField, {
      proto: 9,
      optional: true,
      listType: "atomic",
      gate: "CustomResourceFieldSelectors",
      doc: "Fields that field selectors may use, besides the name and namespace. At most 8.",
    }),
  }),
);

export type CustomResourceValidation = ObjectOf<typeof customResourceValidation>;

export const customResourceValidation = s.struct(
  "apiextensions.v1.CustomResourceValidation",
  { doc: "The schema of a version." },
  () => ({
    openAPIV3Schema: s.of(jsonSchemaProps, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The schema by which objects are pruned, defaulted and validated.",
    }),
  }),
);

export type CustomResourceSubresources = ObjectOf<typeof customResourceSubresources>;

export const customResourceSubresources = s.struct(
  "apiextensions.v1.CustomResourceSubresources",
  { doc: "Which subresources the objects of a version have." },
  () => ({
    status: s.of(customResourceSubresourceStatus, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "When set, the status is written only through /status, and everything else only through the main path.",
    }),
    scale: s.of(customResourceSubresourceScale, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "When set, objects have /scale, which autoscalers use.",
    }),
  }),
);

export type CustomResourceSubresourceStatus = ObjectOf<typeof customResourceSubresourceStatus>;

export const customResourceSubresourceStatus = s.struct(
  "apiextensions.v1.CustomResourceSubresourceStatus",
  { doc: "Turns on the /status subresource; has no settings." },
  () => ({}),
);

export type CustomResourceSubresourceScale = ObjectOf<typeof customResourceSubresourceScale>;

export const customResourceSubresourceScale = s.struct(
  "apiextensions.v1.CustomResourceSubresourceScale",
  { doc: "Turns on the /scale subresource, and says where its values are in the object." },
  () => ({
    specReplicasPath: s.string({
      proto: 1,
      doc: "Path of the wanted number of replicas under .spec, in dots without arrays.",
    }),
    statusReplicasPath: s.string({
      proto: 2,
      doc: "Path of the present number of replicas under .status, in dots without arrays.",
    }),
    labelSelectorPath: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Path under .spec or .status of a text with the label selector of the replicas. Autoscalers need it.",
    }),
  }),
);

export type CustomResourceColumnDefinition = ObjectOf<typeof customResourceColumnDefinition>;

export const customResourceColumnDefinition = s.struct(
  "apiextensions.v1.CustomResourceColumnDefinition",
  { doc: "A column of the tables that clients show." },
  () => ({
    name: s.string({ proto: 1, doc: "Heading of the column." }),
    type: s.string({ proto: 2, doc: "Type of the values: integer, number, string, boolean or date." }),
    format: s.string({
      proto: 3,
      optional: true,
      doc: "Format of the values: int32, int64, float, double, byte, date, date-time or password.",
    }),
    description: s.string({ proto: 4, optional: true, doc: "What the column means, for people." }),
    priority: s.int32({
      proto: 5,
      optional: true,
      doc: "`0` shows the column always; greater ones only in wide tables.",
    }),
    jsonPath: s.string({ proto: 6, doc: "Simple path of the value in the object, such as .spec.size." }),
  }),
);

export type SelectableField = ObjectOf<typeof selectableField>;

export const selectableField = s.struct(
  "apiextensions.v1.SelectableField",
  { doc: "A field that field selectors may use." },
  () => ({
    jsonPath: s.string({
      proto: 1,
      doc: "Simple path, without arrays, of a text, number or boolean in the schema and outside metadata.",
    }),
  }),
);

export type CustomResourceConversion = ObjectOf<typeof customResourceConversion>;

export const customResourceConversion = s.struct(
  "apiextensions.v1.CustomResourceConversion",
  { doc: "How objects are converted between versions." },
  () => ({
    strategy: s.string({
      alias: "ConversionStrategyType",
      proto: 1,
      doc: "None replaces only apiVersion, Webhook asks a webhook.",
    }),
    webhook: s.of(webhookConversion, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The webhook; required when strategy is Webhook.",
    }),
  }),
);

export type WebhookConversion = ObjectOf<typeof webhookConversion>;

export const webhookConversion = s.struct(
  "apiextensions.v1.WebhookConversion",
  { doc: "A webhook that converts objects." },
  () => ({
    clientConfig: s.of(webhookClientConfig, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Where the webhook is, and how it is trusted. Required.",
    }),
    conversionReviewVersions: s.list("string", {
      proto: 3,
      listType: "atomic",
      doc: "Versions of ConversionReview that the webhook understands, best first; the first that the server knows is sent.",
    }),
  }),
);

export type WebhookClientConfig = ObjectOf<typeof webhookClientConfig>;

export const webhookClientConfig = s.struct(
  "apiextensions.v1.WebhookClientConfig",
  { doc: "Where a webhook is, and how it is trusted: exactly one of url and service is set." },
  () => ({
    url: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Address as https://host:port/path, without user, query or fragment. For webhooks outside the cluster.",
    }),
    service: s.of(serviceReference, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Service of the webhook. For webhooks that run in the cluster.",
    }),
    caBundle: s.bytes({
      proto: 2,
      optional: true,
      doc: "PEM certificates, in base64, that the webhook is verified with; when not set, the roots of the system.",
    }),
  }),
);

export type ServiceReference = ObjectOf<typeof serviceReference>;

export const serviceReference = s.struct(
  "apiextensions.v1.ServiceReference",
  { doc: "The service of a webhook." },
  () => ({
    namespace: s.string({ proto: 1, doc: "Namespace of the service." }),
    name: s.string({ proto: 2, doc: "Name of the service." }),
    path: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Path that is asked on the service; by default /.",
    }),
    port: s.int32({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Port of the service, from 1 to 65535; by default 443.",
    }),
  }),
);

export type CustomResourceDefinitionStatus = ObjectOf<typeof customResourceDefinitionStatus>;

export const customResourceDefinitionStatus = s.struct(
  "apiextensions.v1.CustomResourceDefinitionStatus",
  { doc: "What the server made of a definition." },
  () => ({
    conditions: s.list(customResourceDefinitionCondition, {
      proto: 1,
      required: false,
      listType: "map",
      mapKeys: ["type"],
      doc: "NamesAccepted, Established, NonStructuralSchema, Terminating and others.",
    }),
    acceptedNames: s.of(customResourceDefinitionNames, {
      proto: 2,
      required: false,
      doc: "The names under which the kind is served; they differ from those of spec while these clash with others.",
    }),
    storedVersions: s.list("string", {
      proto: 3,
      required: false,
      listType: "atomic",
      doc: "Versions that objects may still be stored in. One may be taken out after all objects were written anew.",
    }),
  }),
);

export type CustomResourceDefinitionCondition = ObjectOf<typeof customResourceDefinitionCondition>;

export const customResourceDefinitionCondition = s.struct(
  "apiextensions.v1.CustomResourceDefinitionCondition",
  { doc: "One observation about a definition." },
  () => ({
    type: s.string({
      alias: "CustomResourceDefinitionConditionType",
      proto: 1,
      doc: "What is observed, such as Established or NamesAccepted.",
    }),
    status: s.string({ alias: "ConditionStatus", proto: 2, doc: "True, False or Unknown." }),
    lastTransitionTime: s.time({ proto: 3, required: false, doc: "When the status last became another one." }),
    reason: s.string({
      proto: 4,
      optional: true,
      doc: "Why the status is what it is, as one CamelCase word for programs.",
    }),
    message: s.string({ proto: 5, optional: true, doc: "What was observed, for people." }),
  }),
);
