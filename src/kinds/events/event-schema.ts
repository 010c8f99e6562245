// The schema of Event.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { eventSource } from "../core/event-schema.ts";
import { objectReference } from "../core/object-reference.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Event = ObjectOf<typeof eventSchema>;

export const eventSchema = objectSchema(
  "events.v1.Event",
  {
    doc: "A report of something that happened to an object. Kept for a limited time; informs, but guarantees nothing.",
    metadata: { required: false },
  },
  () => ({
    eventTime: s.microTime({ proto: 2, doc: "When it was first seen. Required." }),
    series: s.of(eventSeries, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Set when the same keeps happening: how often, and when last. Not set for a single event.",
    }),
    reportingController: s.string({
      proto: 4,
      optional: true,
      doc: "Who reports it, as a name with a domain. Required for new events.",
    }),
    reportingInstance: s.string({
      proto: 5,
      optional: true,
      doc: "Which instance of the controller reports it. Required for new events; at most 128 characters.",
    }),
    action: s.string({
      proto: 6,
      optional: true,
      doc: "What the controller did or failed to do, in one word for programs. Required for new events; at most 128 characters.",
    }),
    reason: s.string({
      proto: 7,
      optional: true,
      doc: "Why it did so, in one word for programs. Required for new events; at most 128 characters.",
    }),
    regarding: s.of(objectReference, {
      proto: 8,
      optional: true,
      doc: "The object that the event is about, usually the one that the controller works on.",
    }),
    related: s.of(objectReference, {
      proto: 9,
      optional: true,
      pointer: true,
      doc: "A second object that has a part in it, such as one that was created or deleted.",
    }),
    note: s.string({ proto: 10, optional: true, doc: "The event in words for people; at most 1024 bytes." }),
    type: s.string({ proto: 11, optional: true, doc: "Normal or Warning." }),
    deprecatedSource: s.of(eventSource, {
      proto: 12,
      optional: true,
      doc: "Who reports it, in the older form of events. May not be set here.",
    }),
    deprecatedFirstTimestamp: s.time({
      proto: 13,
      required: false,
      doc: "When it was first seen, in the older form of events. May not be set here.",
    }),
    deprecatedLastTimestamp: s.time({
      proto: 14,
      required: false,
      doc: "When it was last seen, in the older form of events. May not be set here.",
    }),
    deprecatedCount: s.int32({
      proto: 15,
      optional: true,
      doc: "How often it was seen, in the older form of events. May not be set here.",
    }),
  }),
);

export type EventSeries = ObjectOf<typeof eventSeries>;

export const eventSeries = s.struct("events.v1.EventSeries", { doc: "The same event many times." }, () => ({
  count: s.int32({ proto: 1, doc: "How often it has been seen so far; at least 2." }),
  lastObservedTime: s.microTime({ proto: 2, doc: "When it was last seen." }),
}));
