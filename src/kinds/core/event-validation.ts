// What an Event must look like, in the form of the core group: old reports say little, those with a time of their own
// say who reports what.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, qualifiedNameProblems } from "../../meta/name-formats.ts";
import type { HookContext } from "../define-kind.ts";
import { addProblems, checkRequired } from "../meta/value-checks.ts";
import type { Event } from "./event-schema.ts";

const MAX_WORD_BYTES = 128;
const MAX_NOTE_BYTES = 1024;

export const validateEvent = (event: Event, context: HookContext): FieldError[] =>
  validateReport(
    {
      ...event,
      namespace: event.metadata.namespace ?? "",
      subjectNamespace: event.involvedObject.namespace ?? "",
      reporter: event.reportingComponent,
      reporterField: "reportingComponent",
    },
    context,
  );

export const validateEventUpdate = (event: Event, _old: Event, context: HookContext): FieldError[] =>
  validateEvent(event, context);

/** What both forms of an event have, by their core names; `reporterField` is what the form calls the reporter. */
interface Report {
  readonly namespace: string;
  readonly subjectNamespace: string;
  readonly eventTime?: string | null;
  readonly reporter: string;
  readonly reporterField: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly message?: string;
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
