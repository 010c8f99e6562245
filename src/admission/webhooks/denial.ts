// A webhook's refusal in its own words, as far as they fit into an answer of this server: they go into headers and encodings,
// and there may be megabytes of them.

import { isObject } from "../../base/json.ts";
import { limitText } from "../../meta/quoted.ts";
import { type StatusCause, type StatusDetails, StatusError, type StatusReason } from "../../meta/status-error.ts";

const FIRST_ERROR_CODE = 400;
const LAST_ERROR_CODE = 599;
/** Of a reason or of one detail; the message has a limit of its own. */
const MAX_TEXT_CHARS = 512;
const MAX_CAUSES = 100;
const MAX_INT32 = 2 ** 31 - 1;

/** The webhook said no. */
export class WebhookDenial extends StatusError {}

/** A failure, whatever the status says. */
export function webhookDenial(webhook: string, status: Readonly<Record<string, unknown>>): WebhookDenial {
  const { code, message } = status;
  const reason = textOf(status["reason"]) ?? "";
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = typeof message === "string" && message !== "" ? message : reason;
  const isError =
    typeof code === "number" && Number.isInteger(code) && code >= FIRST_ERROR_CODE && code <= LAST_ERROR_CODE;
  return new WebhookDenial(
    isError ? code : FIRST_ERROR_CODE,
    reason as StatusReason,
    why === "" ? `${denied} without explanation` : `${denied}: ${why}`,
    isObject(status["details"]) ? detailsOf(status["details"]) : undefined,
  );
}

function detailsOf(details: Readonly<Record<string, unknown>>): StatusDetails {
  const { causes, retryAfterSeconds: wait } = details;
  const isTime = typeof wait === "number" && Number.isInteger(wait) && wait > 0 && wait <= MAX_INT32;
  return {
    ...texts(details, ["name", "group", "kind", "uid"]),
    ...(Array.isArray(causes) ? { causes: causes.filter(isObject).slice(0, MAX_CAUSES).map(causeOf) } : {}),
    ...(isTime ? { retryAfterSeconds: wait } : {}),
  };
}

const causeOf = (cause: Readonly<Record<string, unknown>>): StatusCause => texts(cause, ["reason", "message", "field"]);

function texts<Name extends string>(from: Readonly<Record<string, unknown>>, names: readonly Name[]) {
  const found: { [name in Name]?: string } = {};
  for (const name of names) {
    const text = textOf(from[name]);
    if (text !== undefined) found[name] = text;
  }
  return found;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? limitText(value, MAX_TEXT_CHARS) : undefined;
