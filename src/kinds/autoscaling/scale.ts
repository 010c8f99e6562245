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
    spec: s.of(scaleSpec, { proto: 2, optional: true }),
    status: s.of(scaleStatus, { proto: 3, optional: true }),
  }),
);

export type ScaleSpec = ObjectOf<typeof scaleSpec>;

export const scaleSpec = s.struct("autoscaling.v1.ScaleSpec", () => ({
  replicas: s.int32({ proto: 1, optional: true, publishedDefault: 0 }),
}));

export type ScaleStatus = ObjectOf<typeof scaleStatus>;

export const scaleStatus = s.struct("autoscaling.v1.ScaleStatus", () => ({
  replicas: s.int32({ proto: 1 }),
  selector: s.string({ proto: 2, optional: true }),
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
