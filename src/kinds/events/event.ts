// Event: a report of something that happened to an object.

import { NEW_EVENT_COLUMNS } from "../core/event-columns.ts";
import { defineKind } from "../define-kind.ts";
import { fromCoreEvent, toCoreEvent } from "./event-conversion.ts";
import { eventSchema } from "./event-schema.ts";
import { validateEvent, validateEventUpdate } from "./event-validation.ts";

export type { Event } from "./event-schema.ts";

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
  columns: NEW_EVENT_COLUMNS,
  selectableFields: {
    reason: (event) => event.reason ?? "",
    "regarding.kind": ({ regarding }) => regarding.kind ?? "",
    "regarding.namespace": ({ regarding }) => regarding.namespace ?? "",
    "regarding.name": ({ regarding }) => regarding.name ?? "",
    "regarding.uid": ({ regarding }) => regarding.uid ?? "",
    "regarding.apiVersion": ({ regarding }) => regarding.apiVersion ?? "",
    "regarding.resourceVersion": ({ regarding }) => regarding.resourceVersion ?? "",
    "regarding.fieldPath": ({ regarding }) => regarding.fieldPath ?? "",
    reportingController: (event) => event.reportingController ?? "",
    type: (event) => event.type ?? "",
  },
  hooks: { validate: validateEvent, validateUpdate: validateEventUpdate },
});
