// PodTemplate: a template of pods, kept for others to use.

import { opt, s } from "../../schema/builder.ts";
import { NAME_COLUMN } from "../cells/age.ts";
import { labelsText } from "../cells/selectors.ts";
import { containerImages, containerNames } from "../cells/workloads.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { defaultPodTemplate } from "./pod-defaults.ts";
import { podSpec } from "./pod-spec.ts";
import { validatePodTemplate, validatePodTemplateUpdate } from "./pod-template-validation.ts";
import { warnPodTemplate } from "./pod-warnings.ts";

export type PodTemplate = ObjectOf<typeof podTemplateSchema>;

const podTemplateSchema = objectSchema("core.v1.PodTemplate", "A template of pods, kept for others to use.", () => ({
  template: opt.of(podTemplateSpec, 2, "The pods that are made from it."),
}));

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
  columns: [
    NAME_COLUMN,
    { name: "Containers", type: "string", cell: (template) => containerNames(template.template) },
    { name: "Images", type: "string", cell: (template) => containerImages(template.template) },
    { name: "Pod Labels", type: "string", cell: (template) => labelsText(template.template.metadata.labels) },
  ],
  hooks: {
    default({ template }, context) {
      defaultPodTemplate(template, context);
    },
    validate: validatePodTemplate,
    validateUpdate: validatePodTemplateUpdate,
    warn: ({ template }, _old, context) => warnPodTemplate(template, "template", context),
  },
});

export type PodTemplateSpec = ObjectOf<typeof podTemplateSpec>;

export const podTemplateSpec = s.struct(
  "core.v1.PodTemplateSpec",
  "The pods that are made from this template.",
  () => ({
    metadata: opt.of(objectMeta, 1, "Labels, annotations and the like that the pods get."),
    spec: opt.of(podSpec, 2, "What the pods shall be."),
  }),
);
