// The schema of core Events.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { objectReference } from "./object-reference.ts";

export type Event = ObjectOf<typeof eventSchema>;

export const eventSchema = objectSchema(
  "core.v1.Event",
  { doc: "A report of something that happened to an object.", metadata: { required: true } },
  () => ({
    involvedObject: s.of(objectReference, { proto: 2, doc: "The object to which it happened." }),
    reason: s.string({ proto: 3, optional: true, doc: "Why it happened, in a short word for programs." }),
    message: s.string({ proto: 4, optional: true, doc: "What happened, for people." }),
    source: s.of(eventSource, { proto: 5, optional: true, doc: "The component that reports, in the old form." }),
    firstTimestamp: s.time({ proto: 6, required: false, doc: "When it was first seen." }),
    lastTimestamp: s.time({ proto: 7, required: false, doc: "When it was last seen." }),
    count: s.int32({ proto: 8, optional: true, doc: "How often it has been seen." }),
    type: s.string({ proto: 9, optional: true, doc: "`Normal` or `Warning`; others may come." }),
    eventTime: s.microTime({
      proto: 10,
      required: false,
      doc: "When it was first seen, to the microsecond; only in the new form of events.",
    }),
    series: s.of(eventSeries, {
      proto: 11,
      optional: true,
      pointer: true,
      doc: "How the event went on when it was seen again. Not set, it is a single one.",
    }),
    action: s.string({ proto: 12, optional: true, doc: "What was done, or failed, with regard to the object." }),
    related: s.of(objectReference, {
      proto: 13,
      optional: true,
      pointer: true,
      doc: "A second object that has a part in it.",
    }),
    reportingComponent: s.string({
      proto: 14,
      required: false,
      doc: "Name of the controller that reports, with its domain.",
    }),
    reportingInstance: s.string({ proto: 15, required: false, doc: "Which instance of the controller reports." }),
  }),
);

export type EventSource = ObjectOf<typeof eventSource>;

export const eventSource = s.struct("core.v1.EventSource", { doc: "Who reports an event." }, () => ({
  component: s.string({ proto: 1, optional: true, doc: "The component." }),
  host: s.string({ proto: 2, optional: true, doc: "The node on which it happened." }),
}));

export type EventSeries = ObjectOf<typeof eventSeries>;

export const eventSeries = s.struct("core.v1.EventSeries", { doc: "How an event repeats." }, () => ({
  count: s.int32({ proto: 1, optional: true, doc: "How often it has been seen in this series so far." }),
  lastObservedTime: s.microTime({ proto: 2, required: false, doc: "When it was last seen." }),
}));
