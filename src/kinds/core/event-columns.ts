// The columns of events, the same for both groups that serve them.

import { ageCell } from "../cells/age.ts";
import type { CellContext, Column } from "../define-kind.ts";
import type { Event as NewEvent } from "../events/event-schema.ts";
import type { Event } from "./event-schema.ts";

export const EVENT_COLUMNS: readonly Column<Event>[] = columns((event) => event);

export const NEW_EVENT_COLUMNS: readonly Column<NewEvent>[] = columns((event) => ({
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

function columns<T>(asEvent: (object: T) => Event): Column<T>[] {
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
    column("Count", (event) => event.series?.count ?? (event.count || 1), 1),
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
