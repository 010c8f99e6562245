// The schema of core Events.

import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { METADATA_TEXT, objectSchema } from "../meta/object-schema.ts";
import { objectReference } from "./object-reference.ts";

export type Event = ObjectOf<typeof eventSchema>;

export const eventSchema = objectSchema("core.v1.Event", "A report of something that happened to an object.", () => ({
  metadata: s.of(objectMeta, 1, METADATA_TEXT),
  involvedObject: s.of(objectReference, 2, "The object to which it happened."),
  reason: opt.string(3, "Why it happened, in a short word for programs."),
  message: opt.string(4, "What happened, for people."),
  source: opt.of(eventSource, 5, "The component that reports, in the old form."),
  firstTimestamp: shown.time(6, "When it was first seen."),
  lastTimestamp: shown.time(7, "When it was last seen."),
  count: opt.int32(8, "How often it has been seen."),
  type: opt.string(9, "`Normal` or `Warning`; others may come."),
  eventTime: shown.microTime(10, "When it was first seen, to the microsecond; only in the new form of events."),
  series: ptr.of(eventSeries, 11, "How the event went on when it was seen again. Not set, it is a single one."),
  action: opt.string(12, "What was done, or failed, with regard to the object."),
  related: ptr.of(objectReference, 13, "A second object that has a part in it."),
  reportingComponent: shown.string(14, "Name of the controller that reports, with its domain."),
  reportingInstance: shown.string(15, "Which instance of the controller reports."),
}));

export const eventSource = s.struct("core.v1.EventSource", "Who reports an event.", () => ({
  component: opt.string(1, "The component."),
  host: opt.string(2, "The node on which it happened."),
}));

const eventSeries = s.struct("core.v1.EventSeries", "How an event repeats.", () => ({
  count: opt.int32(1, "How often it has been seen in this series so far."),
  lastObservedTime: shown.microTime(2, "When it was last seen."),
}));
