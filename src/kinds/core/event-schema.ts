// The schema of core Events.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { objectReference } from "./object-reference.ts";

export type Event = ObjectOf<typeof eventSchema>;

export const eventSchema = objectSchema(
  "core.v1.Event",
  { doc: "A report of something that happened to an object.", metadata: { required: true } },
  () => ({
    involvedObject: s.of(objectReference, { proto: 2 }),
    reason: s.string({ proto: 3, optional: true }),
    message: s.string({ proto: 4, optional: true }),
    source: s.of(eventSource, { proto: 5, optional: true }),
    firstTimestamp: s.time({ proto: 6, required: false }),
    lastTimestamp: s.time({ proto: 7, required: false }),
    count: s.int32({ proto: 8, optional: true }),
    type: s.string({ proto: 9, optional: true }),
    eventTime: s.microTime({ proto: 10, required: false }),
    series: s.of(eventSeries, { proto: 11, optional: true, pointer: true }),
    action: s.string({ proto: 12, optional: true }),
    related: s.of(objectReference, { proto: 13, optional: true, pointer: true }),
    reportingComponent: s.string({ proto: 14, required: false }),
    reportingInstance: s.string({ proto: 15, required: false }),
  }),
);

export type EventSource = ObjectOf<typeof eventSource>;

export const eventSource = s.struct("core.v1.EventSource", () => ({
  component: s.string({ proto: 1, optional: true }),
  host: s.string({ proto: 2, optional: true }),
}));

export type EventSeries = ObjectOf<typeof eventSeries>;

export const eventSeries = s.struct("core.v1.EventSeries", () => ({
  count: s.int32({ proto: 1, optional: true }),
  lastObservedTime: s.microTime({ proto: 2, required: false }),
}));
