// Event: a report of something that happened to an object.

import { defineKind } from "../define-kind.ts";
import { EVENT_COLUMNS } from "./event-columns.ts";
import { eventSchema } from "./event-schema.ts";
import { validateEvent, validateEventUpdate } from "./event-validation.ts";

export type { Event } from "./event-schema.ts";

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
  columns: EVENT_COLUMNS,
  selectableFields: {
    "involvedObject.kind": ({ involvedObject }) => involvedObject.kind ?? "",
    "involvedObject.namespace": ({ involvedObject }) => involvedObject.namespace ?? "",
    "involvedObject.name": ({ involvedObject }) => involvedObject.name ?? "",
    "involvedObject.uid": ({ involvedObject }) => involvedObject.uid ?? "",
    "involvedObject.apiVersion": ({ involvedObject }) => involvedObject.apiVersion ?? "",
    "involvedObject.resourceVersion": ({ involvedObject }) => involvedObject.resourceVersion ?? "",
    "involvedObject.fieldPath": ({ involvedObject }) => involvedObject.fieldPath ?? "",
    reason: (event) => event.reason ?? "",
    reportingComponent: (event) => event.reportingComponent,
    source: (event) => event.source.component || event.reportingComponent,
    type: (event) => event.type ?? "",
  },
  hooks: { validate: validateEvent, validateUpdate: validateEventUpdate },
});
