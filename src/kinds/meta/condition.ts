// The condition that newer kinds share.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type Condition = ObjectOf<typeof condition>;

export const condition = s.struct("meta.v1.Condition", { doc: "One aspect of the state of an object." }, () => ({
  type: s.string({ proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  observedGeneration: s.int64({ proto: 3, optional: true }),
  lastTransitionTime: s.time({ proto: 4 }),
  reason: s.string({ proto: 5 }),
  message: s.string({ proto: 6 }),
}));
