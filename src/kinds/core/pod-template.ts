// PodTemplate: a template of pods, kept for others to use.

import { NAME_COLUMN } from "../cells/age.ts";
import { rowFields } from "../cells/row-fields.ts";
import { labelsText } from "../cells/selectors.ts";
import { containerFields, containerImages, containerNames } from "../cells/workloads.ts";
import { defineKind } from "../define-kind.ts";
import { defaultPodTemplate } from "./pod/defaults.ts";
import { podTemplateSchema } from "./pod/template-schema.ts";
import { validatePodTemplate, validatePodTemplateUpdate } from "./pod/template-validation.ts";
import { warnPodTemplate } from "./pod/warnings.ts";

export type { PodTemplate } from "./pod/template-schema.ts";

export const podTemplate = defineKind({
  group: "",
  version: "v1",
  kind: "PodTemplate",
  resource: "podtemplates",
  scope: "Namespaced",
  schema: podTemplateSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  generation: true,
  rowFields: rowFields("template.metadata.labels", ...containerFields("template.spec")),
  columns: [
    NAME_COLUMN,
    { name: "Containers", type: "string", cell: (template) => containerNames(template.template) },
    { name: "Images", type: "string", cell: (template) => containerImages(template.template) },
    { name: "Pod Labels", type: "string", cell: (template) => labelsText(template.template.metadata.labels) },
  ],
  hooks: {
    default: ({ template }, context) => defaultPodTemplate(template, context),
    validate: validatePodTemplate,
    validateUpdate: validatePodTemplateUpdate,
    warn({ metadata, template }, old, context) {
      const unchanged = old !== undefined && metadata.generation === old.metadata.generation;
      return unchanged ? [] : warnPodTemplate(template, "template", context);
    },
  },
});
