// CustomResourceDefinition: a kind that users add.

import { STORAGE_PREFIXES } from "../../meta/names.ts";
import { defineKind } from "../define-kind.ts";
import { statusSubresource } from "../subresources.ts";
import {
  canonicalize,
  defaultDefinition,
  holdsDeletion,
  markEnding,
  prepareForCreate,
  prepareForUpdate,
} from "./custom-resource-definition-hooks.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition-schema.ts";
import { customResourceDefinitionSchema } from "./custom-resource-definition-schema.ts";

import {
  validateDefinition,
  validateDefinitionStatus,
  validateDefinitionUpdate,
} from "./custom-resource-definition-validation.ts";
import { warnFormats } from "./format-warnings.ts";

export type { CustomResourceDefinition } from "./custom-resource-definition-schema.ts";

export const customResourceDefinition = defineKind({
  group: "apiextensions",
  version: "v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
  judgedInSteps: true,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  schema: customResourceDefinitionSchema,
  storagePrefix: STORAGE_PREFIXES.customResourceDefinitions,
  generation: true,
  subresources: {
    status: {
      ...statusSubresource<CustomResourceDefinition>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validateDefinitionStatus,
    },
  },
  freeFinalizers: true,
  holdsDeletion,
  markEnding,
  hooks: {
    default: defaultDefinition,
    prepareForCreate,
    prepareForUpdate,
    canonicalize,
    validate: validateDefinition,
    validateUpdate: validateDefinitionUpdate,
    warn: warnFormats,
  },
});
