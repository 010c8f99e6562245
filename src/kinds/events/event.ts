// Event: a report of something that happened to an object.

import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import type { ApiObject } from "../../meta/object.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { type Event as CoreEvent, eventColumns, eventSource, validateReport } from "../core/event.ts";
import { objectReference, referenceFields } from "../core/object-reference.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { METADATA_TEXT, objectSchema } from "../meta/object-schema.ts";

export type Event = ObjectOf<typeof eventSchema>;

const eventSchema = objectSchema(
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

const COLUMNS = eventColumns((event: Event) => ({
  metadata: event.metadata,
  involvedObject: event.regarding,
  source: event.deprecatedSource,
  firstTimestamp: event.deprecatedFirstTimestamp,
  lastTimestamp: event.deprecatedLastTimestamp,
  eventTime: event.eventTime,
  reportingComponent: event.reportingController ?? "",
  reportingInstance: event.reportingInstance ?? "",
  ...(event.reason !== undefined && { reason: event.reason }),
  ...(event.type !== undefined && { type: event.type }),
  ...(event.note !== undefined && { message: event.note }),
  ...(event.series && { series: event.series }),
  ...(event.deprecatedCount !== undefined && { count: event.deprecatedCount }),
}));

export const event = defineKind({
  group: "events",
  version: "v1",
  kind: "Event",
  resource: "events",
  scope: "Namespaced",
  shortNames: ["ev"],
  schema: eventSchema,
  createOnUpdate: true,
  unconditionalUpdate: true,
  expires: true,
  storedAs: { group: "", version: "v1", kind: "Event", toStored: toCoreEvent, fromStored: fromCoreEvent },
  columns: COLUMNS,
  selectableFields: {
    reason: (event) => event.reason ?? "",
    ...referenceFields("regarding", ({ regarding }: Event) => regarding),
    reportingController: (event) => event.reportingController ?? "",
    type: (event) => event.type ?? "",
  },
  hooks: { validate: validateEvent, validateUpdate: validateEventUpdate },
});

const eventSeries = s.struct("events.v1.EventSeries", "The same event many times.", () => ({
  count: s.int32(1, "How often it has been seen so far; at least 2."),
  lastObservedTime: s.microTime(2, "When it was last seen."),
}));

// Where the two forms only name a member differently: here, in the core group.
const RENAMED = [
  ["regarding", "involvedObject"],
  ["note", "message"],
  ["reportingController", "reportingComponent"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
] as const;

/** Without type: who stores it knows the apiVersion of the core group. */
function toCoreEvent(event: Event): ApiObject {
  const core: Record<string, unknown> = { ...event };
  for (const [from, to] of RENAMED) move(core, from, to);
  // The core form always writes them.
  core["reportingComponent"] ??= "";
  core["reportingInstance"] ??= "";
  return core as ApiObject;
}

function fromCoreEvent(stored: ApiObject): Event {
  const event: Record<string, unknown> = { ...(stored as unknown as CoreEvent) };
  for (const [to, from] of RENAMED) move(event, from, to);
  // Here they are left out when empty.
  if (event["reportingController"] === "") delete event["reportingController"];
  if (event["reportingInstance"] === "") delete event["reportingInstance"];
  return event as unknown as Event;
}

function move(object: Record<string, unknown>, from: string, to: string): void {
  if (!Object.hasOwn(object, from)) return;
  object[to] = object[from];
  delete object[from];
}

const LEAST_COUNT = 2;

function validateEvent(event: Event, context: HookContext): FieldError[] {
  const errors = validateAsReport(event, context);
  if (event.eventTime === null) errors.push(required("eventTime"));
  checkSeries(event, errors);
  const type = event.type ?? "";
  if (type !== "Normal" && type !== "Warning") errors.push(invalid("type", "", `has invalid value: ${type}`));
  const { deprecatedSource: source } = event;
  const old: readonly (readonly [string, boolean])[] = [
    ["firstTimestamp", (event.deprecatedFirstTimestamp ?? null) !== null],
    ["lastTimestamp", (event.deprecatedLastTimestamp ?? null) !== null],
    ["count", (event.deprecatedCount ?? 0) !== 0],
    ["source", Boolean(source.component || source.host)],
  ];
  for (const [field, isSet] of old) if (isSet) errors.push(invalid(field, "", "needs to be unset"));
  return errors;
}

function validateEventUpdate(event: Event, old: Event, context: HookContext): FieldError[] {
  const errors = validateAsReport(event, context);
  if (!equalJson(event.series, old.series)) checkSeries(event, errors);
  const keep = (field: string, value: unknown, before: unknown, shown?: unknown) =>
    checkImmutable(value, before, field, errors, shown ?? value);
  keep("involvedObject", event.regarding, old.regarding, internalForm(event.regarding, objectReference));
  keep("reason", event.reason ?? "", old.reason ?? "");
  keep("message", event.note ?? "", old.note ?? "");
  keep("source", event.deprecatedSource, old.deprecatedSource, internalForm(event.deprecatedSource, eventSource));
  keep("firstTimestamp", event.deprecatedFirstTimestamp, old.deprecatedFirstTimestamp);
  keep("lastTimestamp", event.deprecatedLastTimestamp, old.deprecatedLastTimestamp);
  keep("count", event.deprecatedCount ?? 0, old.deprecatedCount ?? 0);
  keep("type", event.type ?? "", old.type ?? "");
  keep("eventTime", event.eventTime, old.eventTime);
  keep("action", event.action ?? "", old.action ?? "");
  keep("related", event.related, old.related, event.related && internalForm(event.related, objectReference));
  keep("reportingController", event.reportingController ?? "", old.reportingController ?? "");
  keep("reportingInstance", event.reportingInstance ?? "", old.reportingInstance ?? "");
  return errors;
}

const validateAsReport = (event: Event, context: HookContext): FieldError[] =>
  validateReport(
    {
      namespace: event.metadata.namespace ?? "",
      subjectNamespace: event.regarding.namespace ?? "",
      eventTime: event.eventTime,
      reporter: event.reportingController ?? "",
      reporterField: "reportingController",
      reportingInstance: event.reportingInstance,
      action: event.action,
      reason: event.reason,
      message: event.note,
    },
    context,
  );

function checkSeries({ series }: Event, errors: FieldError[]): void {
  if (!series) return;
  if (series.count < LEAST_COUNT) errors.push(invalid("series.count", "", `should be at least ${LEAST_COUNT}`));
  if ((series.lastObservedTime ?? null) === null) errors.push(required("series.lastObservedTime"));
}
