// The schema of CustomResourceDefinition.

import { dns1035LabelProblems, dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { FILLED } from "../../schema/check-fields.ts";
import { webhookClientConfig as webhookClientConfigOfAdmission } from "../admissionregistration/webhook-schema.ts";
import { renamed } from "../another-version.ts";
import { observationMembers } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { inOneSentence, kindProblems } from "../meta/value-checks.ts";
import { jsonSchemaProps } from "./json-schema-props.ts";

export type CustomResourceDefinition = ObjectOf<typeof customResourceDefinitionSchema>;

export const customResourceDefinitionSchema = objectSchema(
  "apiextensions.v1.CustomResourceDefinition",
  "A kind that users add.",
  () => ({
    spec: s.of(customResourceDefinitionSpec, 2, "The kind: its names, versions and schemas."),
    status: opt.of(customResourceDefinitionStatus, 3, "Whether the kind is served, and under which names."),
  }),
);

export type CustomResourceDefinitionSpec = ObjectOf<typeof customResourceDefinitionSpec>;

export const customResourceDefinitionSpec = s.struct(
  "apiextensions.v1.CustomResourceDefinitionSpec",
  "A kind: its names, its versions with their schemas, and how objects are converted.",
  () => ({
    group: s.string(1, "API group of the kind, such as example.com. The definition must be named plural.group.", {
      must: { filled: true, form: groupProblems },
    }),
    names: s.of(customResourceDefinitionNames, 3, "Names of the kind and of its resource."),
    scope: s.named(
      "ResourceScope",
      4,
      "Namespaced: objects live in namespaces. Cluster: they do not. Cannot be changed once established.",
      { must: { filled: true, listed: ["Cluster", "Namespaced"] } },
    ),
    versions: s.atomic(
      customResourceDefinitionVersion,
      7,
      "Versions of the kind. Exactly one is stored; discovery lists stable versions first, newest first.",
    ),
    conversion: ptr.of(
      customResourceConversion,
      9,
      "How objects are converted between versions; by default only apiVersion is replaced.",
    ),
    preserveUnknownFields: opt.boolean(
      10,
      "Must be false. To keep fields that are not in the schema, mark the places in the schema itself.",
    ),
  }),
);

export type CustomResourceDefinitionNames = ObjectOf<typeof customResourceDefinitionNames>;

export const customResourceDefinitionNames = s.struct(
  "apiextensions.v1.CustomResourceDefinitionNames",
  "The names of a kind. They must not clash with those of other kinds in the group.",
  () => ({
    plural: s.string(1, "Name of the resource in paths, plural and in lower case, as in /apis/group/version/plural.", {
      must: { form: wordProblems },
    }),
    singular: opt.string(2, "Singular in lower case; by default the kind in lower case.", {
      must: { form: wordProblems },
    }),
    shortNames: opt.atomic("string", 3, "Abbreviations in lower case that command lines accept.", { must: WORDS }),
    kind: s.string(4, "The kind as it stands in objects, in CamelCase and singular.", { must: { form: kindProblems } }),
    listKind: opt.string(5, "The kind of lists of the objects; by default kind followed by List.", {
      must: { form: kindProblems },
    }),
    categories: opt.atomic("string", 6, "Groups of resources that this one is listed with, such as all.", {
      must: WORDS,
    }),
  }),
);

export const wordProblems = inOneSentence(dns1035LabelProblems);
const WORDS = { each: { strict: true, form: wordProblems } };

function groupProblems(group: string): string[] {
  const problems = inOneSentence(dns1123SubdomainProblems)(group);
  return problems.length > 0 || group.includes(".") ? problems : ["should be a domain with at least one dot"];
}

export type CustomResourceDefinitionVersion = ObjectOf<typeof customResourceDefinitionVersion>;

export const customResourceDefinitionVersion = s.struct(
  "apiextensions.v1.CustomResourceDefinitionVersion",
  "One version of a kind.",
  () => ({
    name: s.string(1, "Name of the version in paths and in apiVersion, such as v1beta1.", {
      must: { strict: true, form: wordProblems },
    }),
    served: s.boolean(2, "Whether clients can use this version."),
    storage: s.boolean(3, "Whether objects are stored in this version. True for exactly one."),
    deprecated: opt.boolean(7, "Whether clients that use this version are warned. By default false."),
    deprecationWarning: ptr.string(
      8,
      "Text of that warning, at most 256 characters, in place of the usual one. Only when deprecated.",
      { must: { strict: true, form: warningProblems } },
    ),
    schema: ptr.of(customResourceValidation, 4, "What objects of this version look like. Required."),
    subresources: ptr.of(customResourceSubresources, 5, "Which subresources the objects have; by default none."),
    additionalPrinterColumns: opt.atomic(
      customResourceColumnDefinition,
      6,
      "Columns of tables that clients show; by default the age of objects.",
    ),
    selectableFields: opt.atomic(
      selectableField,
      9,
      "Fields that field selectors may use, besides the name and namespace. At most 8.",
    ),
  }),
);

const MAX_WARNING_LENGTH = 256;

function warningProblems(warning: string): string[] {
  const unprintable = warning.search(/[\p{C}\p{Zl}\p{Zp}]/u);
  const where = `non-printable character found at index ${Buffer.byteLength(warning.slice(0, unprintable))}`;
  return [
    ...(warning.length > MAX_WARNING_LENGTH ? [`must be <= ${MAX_WARNING_LENGTH} characters long`] : []),
    ...(warning === "" ? ["must not be an empty string"] : []),
    ...(unprintable >= 0 ? [`must only contain printable UTF-8 characters; ${where}`] : []),
  ];
}

const customResourceValidation = s.struct(
  "apiextensions.v1.CustomResourceValidation",
  "The schema of a version.",
  () => ({
    openAPIV3Schema: ptr.of(jsonSchemaProps, 1, "The schema by which objects are pruned, defaulted and validated."),
  }),
);

const customResourceSubresources = s.struct(
  "apiextensions.v1.CustomResourceSubresources",
  "Which subresources the objects of a version have.",
  () => ({
    status: ptr.of(
      customResourceSubresourceStatus,
      1,
      "When set, the status is written only through /status, and everything else only through the main path.",
    ),
    scale: ptr.of(customResourceSubresourceScale, 2, "When set, objects have /scale, which autoscalers use."),
  }),
);

const customResourceSubresourceStatus = s.struct(
  "apiextensions.v1.CustomResourceSubresourceStatus",
  "Turns on the /status subresource; has no settings.",
  () => ({}),
);

export type CustomResourceSubresourceScale = ObjectOf<typeof customResourceSubresourceScale>;

export const customResourceSubresourceScale = s.struct(
  "apiextensions.v1.CustomResourceSubresourceScale",
  "Turns on the /scale subresource, and says where its values are in the object.",
  () => ({
    specReplicasPath: s.string(1, "Path of the wanted number of replicas under .spec, in dots without arrays.", {
      must: { filled: true, form: pathBelow(/^\.spec\./, ".spec") },
    }),
    statusReplicasPath: s.string(2, "Path of the present number of replicas under .status, in dots without arrays.", {
      must: { filled: true, form: pathBelow(/^\.status\./, ".status") },
    }),
    labelSelectorPath: ptr.string(
      3,
      "Path under .spec or .status of a text with the label selector of the replicas. Autoscalers need it.",
      { must: { form: pathBelow(/^\.(?:spec|status)\./, "either .spec or .status") } },
    ),
  }),
);

/** Below one of the places of which `where` tells. */
function pathBelow(place: RegExp, where: string): (path: string) => string[] {
  return (path) => {
    const problems = simplePathProblems(path);
    return problems.length > 0 || place.test(path) ? problems : [`should be a json path under ${where}`];
  };
}

export const simplePathProblems = (path: string): string[] =>
  path.startsWith(".") ? [] : ["must be a simple json path starting with ."];

export type CustomResourceColumnDefinition = ObjectOf<typeof customResourceColumnDefinition>;

export const customResourceColumnDefinition = s.struct(
  "apiextensions.v1.CustomResourceColumnDefinition",
  "A column of the tables that clients show.",
  () => ({
    name: s.string(1, "Heading of the column.", { must: FILLED }),
    type: s.string(2, "Type of the values: integer, number, string, boolean or date.", { must: COLUMN_TYPE }),
    format: opt.string(3, "Format of the values: int32, int64, float, double, byte, date, date-time or password.", {
      must: { form: oneOf("byte,date,date-time,double,float,int32,int64,password") },
    }),
    description: opt.string(4, "What the column means, for people."),
    priority: opt.int32(5, "`0` shows the column always; greater ones only in wide tables."),
    jsonPath: s.string(6, "Simple path of the value in the object, such as .spec.size."),
  }),
);

/** Upstream does not call these unsupported, but invalid. */
function oneOf(words: string): (word: string) => string[] {
  const known = new Set(words.split(","));
  return (word) => (known.has(word) ? [] : [`must be one of ${words}`]);
}

const COLUMN_TYPES = "boolean,date,integer,number,string";
const COLUMN_TYPE = { filled: `must be one of ${COLUMN_TYPES}`, form: oneOf(COLUMN_TYPES) };

export type SelectableField = ObjectOf<typeof selectableField>;

const selectableField = s.struct("apiextensions.v1.SelectableField", "A field that field selectors may use.", () => ({
  jsonPath: s.string(
    1,
    "Simple path, without arrays, of a text, number or boolean in the schema and outside metadata.",
  ),
}));

export type CustomResourceConversion = ObjectOf<typeof customResourceConversion>;

export const customResourceConversion = s.struct(
  "apiextensions.v1.CustomResourceConversion",
  "How objects are converted between versions.",
  () => ({
    strategy: s.named("ConversionStrategyType", 1, "None replaces only apiVersion, Webhook asks a webhook.", {
      must: { filled: true, listed: ["None", "Webhook"] },
    }),
    webhook: ptr.of(webhookConversion, 2, "The webhook; required when strategy is Webhook."),
  }),
);

const webhookConversion = s.struct("apiextensions.v1.WebhookConversion", "A webhook that converts objects.", () => ({
  clientConfig: ptr.of(webhookClientConfig, 2, "Where the webhook is, and how it is trusted. Required."),
  conversionReviewVersions: s.atomic(
    "string",
    3,
    "Versions of ConversionReview that the webhook understands, best first; the first that the server knows is sent.",
  ),
}));

const webhookClientConfig = renamed(webhookClientConfigOfAdmission, "admissionregistration.v1", "apiextensions.v1");

const customResourceDefinitionStatus = s.struct(
  "apiextensions.v1.CustomResourceDefinitionStatus",
  "What the server made of a definition.",
  () => ({
    conditions: shown.list(
      customResourceDefinitionCondition,
      1,
      "NamesAccepted, Established, NonStructuralSchema, Terminating and others.",
      { listType: "map", mapKeys: ["type"] },
    ),
    acceptedNames: shown.of(
      customResourceDefinitionNames,
      2,
      "The names under which the kind is served; they differ from those of spec while these clash with others.",
    ),
    storedVersions: shown.atomic(
      "string",
      3,
      "Versions that objects may still be stored in. One may be taken out after all objects were written anew.",
    ),
  }),
);

const customResourceDefinitionCondition = s.struct(
  "apiextensions.v1.CustomResourceDefinitionCondition",
  "One observation about a definition.",
  () =>
    observationMembers(
      "CustomResourceDefinitionConditionType",
      "What is observed, such as Established or NamesAccepted.",
    ),
);
