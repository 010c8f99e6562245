// The schema of Pod.

import { opt } from "../../../schema/builder.ts";
import type { ObjectOf } from "../../define-kind.ts";
import { objectSchema } from "../../meta/object-schema.ts";
import { podSpec } from "./spec.ts";
import { podStatus } from "./status.ts";

export type Pod = ObjectOf<typeof podSchema>;

export const podSchema = objectSchema("core.v1.Pod", "Containers that run together on one node.", () => ({
  spec: opt.of(podSpec, 2, "What the pod shall be."),
  status: opt.of(podStatus, 3, "What became of the pod. Only written by way of its sub-resource."),
}));
