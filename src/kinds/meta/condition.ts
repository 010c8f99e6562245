// The condition that newer kinds share.

import { type ObjectOf, opt, s } from "../../schema/builder.ts";

export type Condition = ObjectOf<typeof condition>;

export const condition = s.struct("meta.v1.Condition", "One aspect of the state of an object.", () => ({
  type: s.string(
    1,
    "The aspect that is reported, in CamelCase, optionally with a domain and a slash before it; unique in its list.",
  ),
  status: s.named("ConditionStatus", 2, "Whether the condition holds: True, False or Unknown."),
  observedGeneration: opt.int64(
    3,
    "The metadata.generation that was judged; when it is lower than the current one, the condition is out of date.",
  ),
  lastTransitionTime: s.time(
    4,
    "When the status last became what it is; a new reason or message alone does not move it.",
  ),
  reason: s.string(5, "One CamelCase word for programs: why the status is what it is. May not be empty."),
  message: s.string(6, "Details for people; may be empty."),
}));
