// Event: a report of something that happened to an object.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, qualifiedNameProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { ageCell } from "../cells/age.ts";
import { type CellContext, type Column, defineKind, type HookContext } from "../define-kind.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { METADATA_TEXT, objectSchema } from "../meta/object-schema.ts";
import { addProblems, checkRequired } from "../meta/value-checks.ts";
import { objectReference, referenceFields } from "./object-reference.ts";

export type Event = ObjectOf<typeof eventSchema>;

const eventSchema = objectSchema("core.v1.Event", "A report of something that happened to an object.", () => ({
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

const EVENT_COLUMNS: readonly Column<Event>[] = eventColumns((event) => event);

export function eventColumns<T>(asEvent: (object: T) => Event): Column<T>[] {
  const column = (name: string, cell: (event: Event, context: CellContext) => string | number, priority = 0) => ({
    name,
    type: "string" as const,
    ...(priority > 0 && { priority }),
    cell: (object: T, context: CellContext) => cell(asEvent(object), context),
  });
  return [
    column("Last Seen", lastSeen),
    column("Type", (event) => event.type ?? ""),
    column("Reason", (event) => event.reason ?? ""),
    column("Object", target),
    column("Subobject", (event) => event.involvedObject.fieldPath ?? "", 1),
    column("Source", source, 1),
    column("Message", (event) => (event.message ?? "").trim()),
    column("First Seen", firstSeen, 1),
    column("Count", (event) => (event.series ? (event.series.count ?? 0) : event.count || 1), 1),
    { ...column("Name", (event) => event.metadata.name ?? "", 1), format: "name" },
  ];
}

function firstSeen(event: Event, context: CellContext): string {
  return ageCell(event.firstTimestamp || event.eventTime, context);
}

function lastSeen(event: Event, context: CellContext): string {
  if (event.series) return ageCell(event.series.lastObservedTime, context);
  return event.lastTimestamp ? ageCell(event.lastTimestamp, context) : firstSeen(event, context);
}

function target({ involvedObject: { kind, name } }: Event): string {
  const word = (kind ?? "").toLowerCase();
  return name ? `${word}/${name}` : word;
}

function source(event: Event): string {
  const component = event.source.component || event.reportingComponent;
  const instance = event.source.host || event.reportingInstance;
  return instance ? `${component}, ${instance}` : component;
}

export const event = defineKind({
  group: "",
  version: "v1",
  kind: "Event",
  resource: "events",
  scope: "Namespaced",
  shortNames: ["ev"],
  schema: eventSchema,
  createOnUpdate: true,
  unconditionalUpdate: true,
  expires: true,
  name: "pathSegment",
  judgesMetadataLast: true,
  columns: EVENT_COLUMNS,
  selectableFields: {
    ...referenceFields("involvedObject", ({ involvedObject }: Event) => involvedObject),
    reason: (event) => event.reason ?? "",
    reportingComponent: (event) => event.reportingComponent,
    source: (event) => event.source.component || event.reportingComponent,
    type: (event) => event.type ?? "",
  },
  hooks: { validate: validateEvent, validateUpdate: validateEventUpdate },
});

export const eventSource = s.struct("core.v1.EventSource", "Who reports an event.", () => ({
  component: opt.string(1, "The component."),
  host: opt.string(2, "The node on which it happened."),
}));

const eventSeries = s.struct("core.v1.EventSeries", "How an event repeats.", () => ({
  count: opt.int32(1, "How often it has been seen in this series so far."),
  lastObservedTime: shown.microTime(2, "When it was last seen."),
}));

const MAX_WORD_BYTES = 128;
const MAX_NOTE_BYTES = 1024;

function validateEvent(event: Event, context: HookContext): FieldError[] {
  return validateReport(
    {
      namespace: event.metadata.namespace ?? "",
      subjectNamespace: event.involvedObject.namespace ?? "",
      eventTime: event.eventTime,
      reporter: event.reportingComponent,
      reporterField: "reportingComponent",
      reportingInstance: event.reportingInstance,
      action: event.action,
      reason: event.reason,
      message: event.message,
    },
    context,
  );
}

function validateEventUpdate(event: Event, _old: Event, context: HookContext): FieldError[] {
  return validateEvent(event, context);
}

/** What both forms of an event have, by their core names; `reporterField` is what the form calls the reporter. */
interface Report {
  readonly namespace: string;
  readonly subjectNamespace: string;
  readonly eventTime: string | null | undefined;
  readonly reporter: string;
  readonly reporterField: string;
  readonly reportingInstance: string | undefined;
  readonly action: string | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

export function validateReport(report: Report, { names }: HookContext): FieldError[] {
  const { namespace, subjectNamespace } = report;
  const errors: FieldError[] = [];
  const mismatch = () =>
    errors.push(invalid("involvedObject.namespace", subjectNamespace, "does not match event.namespace"));
  if (report.eventTime === undefined || report.eventTime === null) {
    const expected = subjectNamespace === "" ? ["", "default"] : [subjectNamespace];
    if (!expected.includes(namespace)) mismatch();
  } else {
    if (subjectNamespace === "" && namespace !== "default" && namespace !== names.systemNamespace) mismatch();
    checkRequired(errors, report.reporterField, report.reporter);
    addProblems(errors, report.reporterField, report.reporter, qualifiedNameProblems(report.reporter));
    for (const field of ["reportingInstance", "action", "reason"] as const) {
      const word = report[field] ?? "";
      if (word === "") errors.push(required(field));
      checkLength(word, field, MAX_WORD_BYTES, errors);
    }
    checkLength(report.message ?? "", "message", MAX_NOTE_BYTES, errors);
  }
  addProblems(errors, "namespace", namespace, dns1123SubdomainProblems(namespace));
  return errors;
}

function checkLength(text: string, field: string, maxBytes: number, errors: FieldError[]): void {
  if (Buffer.byteLength(text) > maxBytes) errors.push(invalid(field, "", `can have at most ${maxBytes} characters`));
}
