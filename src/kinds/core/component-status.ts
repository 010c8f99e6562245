// ComponentStatus: the health of a component of the control plane; deprecated.

import { opt, s } from "../../schema/builder.ts";
import { NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { deprecation } from "../deprecation.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type ComponentStatus = ObjectOf<typeof componentStatusSchema>;

const componentStatusSchema = objectSchema(
  "core.v1.ComponentStatus",
  "The health of a component of the control plane; deprecated.",
  () => ({
    conditions: opt.listBy("type", componentCondition, 2, "What is known of the component's health."),
  }),
);

export const componentStatus = defineKind({
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  resource: "componentstatuses",
  scope: "Cluster",
  shortNames: ["cs"],
  verbs: ["get", "list"],
  schema: componentStatusSchema,
  virtual: true,
  deprecated: deprecation({ group: "", version: "v1", kind: "ComponentStatus" }, { since: "1.19" }),
  name: "dns1123Subdomain",
  columns: [
    NAME_COLUMN,
    {
      name: "Status",
      type: "string",
      cell: (component) => (healthy(component)?.status === "True" ? "Healthy" : "Unhealthy"),
    },
    { name: "Message", type: "string", cell: (component) => healthy(component)?.message ?? "" },
    { name: "Error", type: "string", cell: (component) => healthy(component)?.error ?? "" },
  ],
});

function healthy({ conditions }: ComponentStatus): ComponentCondition | undefined {
  return conditions?.find((condition) => condition.type === "Healthy");
}

type ComponentCondition = ObjectOf<typeof componentCondition>;

const componentCondition = s.struct("core.v1.ComponentCondition", "One aspect of the health of a component.", () => ({
  type: s.named("ComponentConditionType", 1, "What is told; only `Healthy` is known."),
  status: s.named("ConditionStatus", 2, "`True`, `False` or `Unknown`."),
  message: opt.string(3, "What the component answered when it was asked."),
  error: opt.string(4, "Why the component could not be asked, or what it complained of."),
}));
