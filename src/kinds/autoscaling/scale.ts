// Scale: the number of replicas of anything that scales.

import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN } from "../cells/age.ts";
import { defineBody, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Scale = ObjectOf<typeof scaleSchema>;

export const scaleSchema = objectSchema(
  "autoscaling.v1.Scale",
  "The number of replicas of anything that scales.",
  () => ({
    spec: opt.of(scaleSpec, 2, "How many replicas there shall be."),
    status: opt.of(scaleStatus, 3, "How many there are; read only."),
  }),
);

const scaleSpec = s.struct("autoscaling.v1.ScaleSpec", "How many replicas there shall be.", () => ({
  replicas: opt.int32(1, "The number of replicas that shall run.", { publishedDefault: 0 }),
}));

const scaleStatus = s.struct("autoscaling.v1.ScaleStatus", "How many replicas there are.", () => ({
  replicas: s.int32(1, "The number of replicas that were last counted."),
  selector: opt.string(2, "The label selector of the pods that count, as the text of a query parameter."),
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
