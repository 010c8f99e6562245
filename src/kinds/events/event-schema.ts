// The schema of Event.

import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { eventSource } from "../core/event-schema.ts";
import { objectReference } from "../core/object-reference.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { METADATA_TEXT, objectSchema } from "../meta/object-schema.ts";

export type Event = ObjectOf<typeof eventSchema>;

export const eventSchema = objectSchema(
  "events.v1.Event",
  "A report of something that happened to an object. Kept for a limited time; informs, but guarantees nothing.",
  () => ({
    metadata: shown.of(objectMeta, 1, METADATA_TEXT),
    eventTime: s.microTime(2, "When it was first seen. Required."),
    series: ptr.of(
      eventSeries,
      3,
      "Set when the same keeps happening: how often, and when last. Not set for a single event.",
    ),
    reportingController: opt.string(4, "Who reports it, as a name with a domain. Required for new events."),
    reportingInstance: opt.string(
      5,
      "Which instance of the controller reports it. Required for new events; at most 128 characters.",
    ),
    action: opt.string(
      6,
      "What the controller did or failed to do, in one word for programs. Required for new events; at most 128 characters.",
    ),
    reason: opt.string(7, "Why it did so, in one word for programs. Required for new events; at most 128 characters."),
    regarding: opt.of(
      objectReference,
      8,
      "The object that the event is about, usually the one that the controller works on.",
    ),
    related: ptr.of(
      objectReference,
      9,
      "A second object that has a part in it, such as one that was created or deleted.",
    ),
    note: opt.string(10, "The event in words for people; at most 1024 bytes."),
    type: opt.string(11, "Normal or Warning."),
    deprecatedSource: opt.of(eventSource, 12, "Who reports it, in the older form of events. May not be set here."),
    deprecatedFirstTimestamp: shown.time(
      13,
      "When it was first seen, in the older form of events. May not be set here.",
    ),
    deprecatedLastTimestamp: shown.time(14, "When it was last seen, in the older form of events. May not be set here."),
    deprecatedCount: opt.int32(15, "How often it was seen, in the older form of events. May not be set here."),
  }),
);

const eventSeries = s.struct("events.v1.EventSeries", "The same event many times.", () => ({
  count: s.int32(1, "How often it has been seen so far; at least 2."),
  lastObservedTime: s.microTime(2, "When it was last seen."),
}));
