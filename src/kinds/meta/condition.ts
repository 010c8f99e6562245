// The condition that newer kinds share.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type Condition = ObjectOf<typeof condition>;

export const condition = s.struct("meta.v1.Condition", { doc: "One aspect of the state of an object." }, () => ({
  type: s.string({
    proto: 1,
    doc: "The aspect that is reported, in CamelCase, optionally with a domain and a slash before it; unique in its list.",
  }),
  status: s.string({ alias: "ConditionStatus", proto: 2, doc: "Whether the condition holds: True, False or Unknown." }),
  observedGeneration: s.int64({
    proto: 3,
    optional: true,
    doc: "The metadata.generation that was judged; when it is lower than the current one, the condition is out of date.",
  }),
  lastTransitionTime: s.time({
    proto: 4,
    doc: "When the status last became what it is; a new reason or message alone does not move it.",
  }),
  reason: s.string({
    proto: 5,
    doc: "One CamelCase word for programs: why the status is what it is. May not be empty.",
  }),
  message: s.string({ proto: 6, doc: "Details for people; may be empty." }),
}));
