// The schema of PodTemplate, and the template of pods that workloads contain.

import { opt, s } from "../../../schema/builder.ts";
import type { ObjectOf } from "../../define-kind.ts";
import { objectMeta } from "../../meta/object-meta.ts";
import { objectSchema } from "../../meta/object-schema.ts";
import { podSpec } from "./spec.ts";

export type PodTemplate = ObjectOf<typeof podTemplateSchema>;

export const podTemplateSchema = objectSchema(
  "core.v1.PodTemplate",
  "A template of pods, kept for others to use.",
  () => ({
    template: opt.of(podTemplateSpec, 2, "The pods that are made from it."),
  }),
);

export type PodTemplateSpec = ObjectOf<typeof podTemplateSpec>;

export const podTemplateSpec = s.struct(
  "core.v1.PodTemplateSpec",
  "The pods that are made from this template.",
  () => ({
    metadata: opt.of(objectMeta, 1, "Labels, annotations and the like that the pods get."),
    spec: opt.of(podSpec, 2, "What the pods shall be."),
  }),
);
