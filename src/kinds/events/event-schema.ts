// The schema of Event.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { eventSource } from "../core/event-schema.ts";
import { objectReference } from "../core/object-reference.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Event = ObjectOf<typeof eventSchema>;

export const eventSchema = objectSchema(
  "events.v1.Event",
  { doc: "A report of something that happened to an object.", metadata: { required: false } },
  () => ({
    eventTime: s.microTime({ proto: 2 }),
    series: s.of(eventSeries, { proto: 3, optional: true, pointer: true }),
    reportingController: s.string({ proto: 4, optional: true }),
    reportingInstance: s.string({ proto: 5, optional: true }),
    action: s.string({ proto: 6, optional: true }),
    reason: s.string({ proto: 7, optional: true }),
    regarding: s.of(objectReference, { proto: 8, optional: true }),
    related: s.of(objectReference, { proto: 9, optional: true, pointer: true }),
    note: s.string({ proto: 10, optional: true }),
    type: s.string({ proto: 11, optional: true }),
    deprecatedSource: s.of(eventSource, { proto: 12, optional: true }),
    deprecatedFirstTimestamp: s.time({ proto: 13, required: false }),
    deprecatedLastTimestamp: s.time({ proto: 14, required: false }),
    deprecatedCount: s.int32({ proto: 15, optional: true }),
  }),
);

export type EventSeries = ObjectOf<typeof eventSeries>;

export const eventSeries = s.struct("events.v1.EventSeries", () => ({
  count: s.int32({ proto: 1 }),
  lastObservedTime: s.microTime({ proto: 2 }),
}));
