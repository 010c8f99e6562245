// What an Event of this group must look like: nothing of the old form, and what was reported stays reported.
// Fields are named as the core group names them, as upstream does.

import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { validateReport } from "../core/event-validation.ts";
import { objectReference } from "../core/object-reference.ts";
import type { HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import type { Event } from "./event-schema.ts";

const LEAST_COUNT = 2;

export function validateEvent(event: Event, context: HookContext): FieldError[] {
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

export function validateEventUpdate(event: Event, old: Event, context: HookContext): FieldError[] {
  const errors = validateAsReport(event, context);
  if (!equalJson(event.series, old.series)) checkSeries(event, errors);
  const keep = (field: string, value: unknown, before: unknown, shown?: unknown) =>
    checkImmutable(value, before, field, errors, shown ?? value);
  keep("involvedObject", event.regarding, old.regarding, internalForm(event.regarding, objectReference));
  keep("reason", event.reason ?? "", old.reason ?? "");
  keep("message", event.note ?? "", old.note ?? "");
  keep("source", event.deprecatedSource, old.deprecatedSource);
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

const validateAsReport = ({ note, ...event }: Event, context: HookContext): FieldError[] =>
  validateReport(
    {
      ...event,
      namespace: event.metadata.namespace ?? "",
      subjectNamespace: event.regarding.namespace ?? "",
      reporter: event.reportingController ?? "",
      reporterField: "reportingController",
      message: note ?? "",
    },
    context,
  );

function checkSeries({ series }: Event, errors: FieldError[]): void {
  if (!series) return;
  if (series.count < LEAST_COUNT) errors.push(invalid("series.count", "", `should be at least ${LEAST_COUNT}`));
  if ((series.lastObservedTime ?? null) === null) errors.push(required("series.lastObservedTime"));
}
