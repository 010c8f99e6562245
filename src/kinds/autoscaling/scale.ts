// Scale: the number of replicas of anything that scales.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN } from "../cells/age.ts";
import { defineBody, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Scale = ObjectOf<typeof scaleSchema>;

export const scaleSchema = objectSchema(
  "autoscaling.v1.Scale",
  { doc: "The number of replicas of anything that scales." },
  () => ({
    spec: s.of(scaleSpec, { proto: 2, optional: true, doc: "How many replicas there shall be." }),
    status: s.of(scaleStatus, { proto: 3, optional: true, doc: "How many there are; read only." }),
  }),
);

export type ScaleSpec = ObjectOf<typeof scaleSpec>;

export const scaleSpec = s.struct("autoscaling.v1.ScaleSpec", { doc: "How many replicas there shall be." }, () => ({
  replicas: s.int32({ proto: 1, optional: true, publishedDefault: 0, doc: "The number of replicas that shall run." }),
}));

export type ScaleStatus = ObjectOf<typeof scaleStatus>;

export const scaleStatus = s.struct("autoscaling.v1.ScaleStatus", { doc: "How many replicas there are." }, () => ({
  replicas: s.int32({ proto: 1, doc: "The number of replicas that were last counted." }),
  selector: s.string({
    proto: 2,
    optional: true,
    doc: "The label selector of the pods that count, as the text of a query parameter.",
  }),
}));

export const scale = defineBody({
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  scope: "Namespaced",
  schema: scaleSchema,
  columns: [
    { name: "Name", type: "string", cell: ({ metadata }) => metadata.name ?? "" },
    { name: "Desired", type: "integer", cell: ({ spec }) => spec.replicas ?? 0 },
    { name: "Available", type: "integer", cell: ({ status }) => status.replicas },
    AGE_COLUMN,
  ],
});
