// An error that becomes a Status body: thrown anywhere below the pipeline, turned into an answer once, at its top.
// Requirements: document 1, "Errors".

import { type FieldError, fieldErrorBody, fieldErrorPlace, MAX_MISTAKES } from "./field-error.ts";
import { cutText, limitText, quoteText } from "./quoted.ts";

export type StatusReason =
  | ""
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "StoreReadError"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable"
  | "UnknownError";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusBody {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** What a request was about, as a Status names it: the resource (not the kind) and its group. */
export interface StatusSubject {
  readonly group: string;
  readonly resource: string;
}

/** What quotes user text cuts it; this holds where a message is made of very many short ones. */
const MAX_MESSAGE_CHARS = 32 * 1024;

/** The message is cut where it is too long to send. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: StatusReason;
  readonly details: StatusDetails | undefined;
  /** A fresh continue token, with 410 answers to expired ones. */
  readonly continueToken: string | undefined;

  constructor(code: number, reason: StatusReason, message: string, details?: StatusDetails, continueToken?: string) {
    super(limitText(message, MAX_MESSAGE_CHARS));
    this.name = "StatusError";
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continueToken = continueToken;
  }

  toBody(): StatusBody {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: "Failure",
      message: this.message,
      ...(this.reason === "" ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

export function isStatusError(error: unknown, reason?: StatusReason): error is StatusError {
  return error instanceof StatusError && (reason === undefined || error.reason === reason);
}

/** resource.group as messages write it: `configmaps`, `deployments.apps`. */
function qualifiedResource(subject: StatusSubject): string {
  return subject.group === "" ? subject.resource : `${subject.resource}.${subject.group}`;
}

export const badRequest = (message: string): StatusError => new StatusError(400, "BadRequest", message);

/** The request has used up its time. */
export const lateRequest = (): StatusError =>
  new StatusError(504, "Timeout", "Timeout: request did not complete within the allotted timeout", {});

export const unauthorized = (message = "Unauthorized"): StatusError => new StatusError(401, "Unauthorized", message);

export function forbidden(subject: StatusSubject, name: string, why: string): StatusError {
  const what = qualifiedResource(subject);
  const message =
    what === ""
      ? `forbidden: ${why}`
      : name === ""
        ? `${what} is forbidden: ${why}`
        : `${what} ${quoteText(name)} is forbidden: ${why}`;
  return new StatusError(403, "Forbidden", message, details(subject, name));
}

export function notFoundObject(subject: StatusSubject, name: string): StatusError {
  return new StatusError(
    404,
    "NotFound",
    `${qualifiedResource(subject)} ${quoteText(name)} not found`,
    details(subject, name),
  );
}

/** A path that nothing serves. */
export const notFoundPath = (): StatusError =>
  new StatusError(404, "NotFound", "the server could not find the requested resource", {});

export const methodNotAllowed = (
  message = "the server does not allow this method on the requested resource",
): StatusError => new StatusError(405, "MethodNotAllowed", message, {});

export function alreadyExists(subject: StatusSubject, name: string, beingDeleted = false): StatusError {
  return new StatusError(
    409,
    "AlreadyExists",
    `${beingDeleted ? "object is being deleted: " : ""}${qualifiedResource(subject)} ${quoteText(name)} already exists`,
    details(subject, name),
  );
}

export function conflict(
  subject: StatusSubject,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): StatusError {
  const extra = causes === undefined ? {} : { causes };
  return new StatusError(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualifiedResource(subject)} ${quoteText(name)}: ${why}`,
    { ...details(subject, name), ...extra },
  );
}

/** One 422 of all findings. `kind` is the kind's name (not the resource), as upstream words it. */
export function invalidObject(group: string, kind: string, name: string, errors: readonly FieldError[]): StatusError {
  const causes = fittingCauses(errors, causeOf);
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  if (causes.length < errors.length) {
    const left = `${errors.length - causes.length} more`;
    texts.push(errors.length < MAX_MISTAKES ? `and ${left}` : `and at least ${left}`);
  }
  const text = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const qualified = group === "" ? kind : `${kind}.${group}`;
  return new StatusError(
    422,
    "Invalid",
    `${qualified} ${quoteText(name)} is invalid${errors.length === 0 ? "" : `: ${text}`}`,
    {
      ...(name === "" ? {} : { name: cutText(name) }),
      ...(group === "" ? {} : { group }),
      ...(kind === "" ? {} : { kind }),
      causes,
    },
  );
}

function causeOf(error: FieldError): StatusCause {
  return { reason: error.type, message: fieldErrorBody(error), field: fieldErrorPlace(error) };
}

/** A small body can hold very many mistakes; an answer tells of so many. */
const MAX_CAUSES_BYTES = 24 * 1024;

/** The causes of the first findings, one at least, as many as an answer can hold that says each in its message too. */
export function fittingCauses<T>(findings: readonly T[], causeOf: (finding: T) => StatusCause): StatusCause[] {
  const causes: StatusCause[] = [];
  let sizeBytes = 0;
  for (const finding of findings) {
    const cause = causeOf(finding);
    sizeBytes += Buffer.byteLength(JSON.stringify(cause));
    if (causes.length > 0 && sizeBytes > MAX_CAUSES_BYTES) break;
    causes.push(cause);
  }
  return causes;
}

export const internalError = (why: string): StatusError =>
  new StatusError(500, "InternalError", `Internal error occurred: ${why}`, {
    causes: [{ message: limitText(why, MAX_MESSAGE_CHARS / 2) }],
  });

export const expired = (message: string, continueToken?: string): StatusError =>
  new StatusError(410, "Expired", message, undefined, continueToken);

function details(subject: StatusSubject, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name: cutText(name) }),
    ...(subject.group === "" ? {} : { group: subject.group }),
    ...(subject.resource === "" ? {} : { kind: subject.resource }),
  };
}
