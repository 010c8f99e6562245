// What a request for a log may ask for, and how the agent of a node is asked for it.

import { isYesInQuery } from "../../../base/truth-words.ts";
import { type FieldError, forbiddenField, invalid, notSupported, WHOLE_OBJECT } from "../../../meta/field-error.ts";
import { badRequest, invalidObject } from "../../../meta/status-error.ts";
import { readInteger } from "../../../registry/list-query.ts";

interface LogOptions {
  /** As the agent takes them. */
  readonly params: URLSearchParams;
  /** Whoever answers may be anybody. */
  readonly insecure: boolean;
}

const STREAMS = ["All", "Stderr", "Stdout"];

/** Fails with 400 for what cannot be read, and with 422 for what makes no sense. `splitStreams`: the gate. */
export function readLogOptions(query: URLSearchParams, pod: string, splitStreams: boolean): LogOptions {
  const errors: FieldError[] = [];
  const tailLines = readInteger(query, "tailLines");
  const limitBytes = readInteger(query, "limitBytes");
  const sinceSeconds = readInteger(query, "sinceSeconds");
  const sinceTime = readTime(query.get("sinceTime"));
  const stream = query.get("stream") ?? undefined;
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid("tailLines", tailLines, "must be greater than or equal to 0"));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalid("limitBytes", limitBytes, "must be greater than 0"));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(forbiddenField(WHOLE_OBJECT, "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(invalid("sinceSeconds", sinceSeconds, "must be greater than 0"));
  if (stream !== undefined && !splitStreams) errors.push(forbiddenField("stream", "may not be specified"));
  else if (stream !== undefined && !STREAMS.includes(stream)) errors.push(notSupported("stream", stream, STREAMS));
  else if (stream !== undefined && stream !== "All" && tailLines !== undefined)
    errors.push(forbiddenField(WHOLE_OBJECT, "`tailLines` and specific `stream` are mutually exclusive for now"));
  if (errors.length > 0) throw invalidObject("", "PodLogOptions", pod, errors);
  const params = new URLSearchParams();
  for (const flag of ["follow", "previous", "timestamps"]) if (isSet(query, flag)) params.set(flag, "true");
  for (const [name, value] of Object.entries({ limitBytes, sinceSeconds, sinceTime, stream, tailLines }))
    if (value !== undefined) params.set(name, String(value));
  params.sort();
  return { params, insecure: isSet(query, "insecureSkipTLSVerifyBackend") };
}

export function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && isYesInQuery(value);
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** In whole seconds, which is as exact as an agent is asked. */
function readTime(text: string | null): string | undefined {
  if (text === null || text === "") return undefined;
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) {
    const shown = JSON.stringify(text.slice(0, MAX_SHOWN_LENGTH));
    throw badRequest(`parsing time ${shown} as "2006-01-02T15:04:05Z07:00": cannot parse ${shown} as "2006"`);
  }
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, -".000Z".length)}Z`;
}

const MAX_SHOWN_LENGTH = 64;
