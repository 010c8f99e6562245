// An answer that is a failure: the server's Status, and what was asked. Callers look at code, reason and causes; texts are
// for people and never matched. Requirements: document 1, "Errors".

import { isObject } from "../base/json.ts";
import type { StatusBody, StatusCause, StatusReason } from "../meta/status-error.ts";
import { failedAnswerText } from "./failed-answer.ts";
import { requestWords } from "./request-words.ts";
import type { ApiRequest, ApiResponse } from "./transport.ts";

interface ApiErrorParts {
  readonly status: StatusBody;
  readonly request: Pick<ApiRequest, "method" | "path">;
  /** How often the request was sent. */
  readonly attempts?: number;
}

export class ApiError extends Error {
  /** The server's own words, or a Status made up from an answer that holds none (of a proxy on the way, say). */
  readonly status: StatusBody;
  readonly code: number;
  /** One of StatusReason; servers may have others. Empty when none was given. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  readonly request: { readonly method: ApiRequest["method"]; readonly path: string };
  readonly attempts: number;

  constructor({ status, request: { method, path }, attempts = 1 }: ApiErrorParts) {
    const again = attempts > 1 ? ` (after ${attempts} attempts)` : "";
    super(`${requestWords(method, path)}: ${status.message || `status ${status.code}`}${again}`);
    this.name = "ApiError";
    this.status = status;
    this.code = status.code;
    this.reason = status.reason ?? "";
    this.causes = status.details?.causes ?? [];
    this.request = { method, path };
    this.attempts = attempts;
  }
}

export function isApiError(error: unknown, ...reasons: readonly StatusReason[]): error is ApiError {
  return error instanceof ApiError && (reasons.length === 0 || reasons.some((reason) => reason === error.reason));
}

/** Reads the body of an answer that is a failure. */
export async function readApiError(
  request: Pick<ApiRequest, "method" | "path">,
  response: ApiResponse,
): Promise<ApiError> {
  const body = await response.bytes();
  const status = statusOf(response.status, body);
  return new ApiError({ status, request, ...(response.attempts === undefined ? {} : { attempts: response.attempts }) });
}

function statusOf(code: number, body: Uint8Array): StatusBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const parsed = parseStatus(code, bytes.toString("utf8"));
  if (parsed !== undefined) return { ...parsed, code };
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: failedAnswerText(code, body),
    ...(REASON_OF_CODE.has(code) ? { reason: REASON_OF_CODE.get(code)! } : {}),
    code,
  };
}

function parseStatus(code: number, text: string): StatusBody | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value["kind"] !== "Status" || value["apiVersion"] !== "v1") return undefined;
  // Every part is held to its type: callers trust what they find here.
  const { message, reason = "", details, ...rest } = value;
  const causes = isObject(details) && Array.isArray(details["causes"]) ? details["causes"].filter(isObject) : [];
  const known = typeof reason === "string" && reason !== "" ? reason : REASON_OF_CODE.get(code);
  return {
    ...(rest as unknown as StatusBody),
    ...(typeof message === "string" ? { message } : {}),
    ...(known === undefined ? {} : { reason: known }),
    ...(isObject(details) ? { details: { ...details, ...("causes" in details ? { causes } : {}) } } : {}),
  };
}

/** What an answer without a Status, or with one that gives no reason, means, where its code leaves no doubt. */
const REASON_OF_CODE: ReadonlyMap<number, StatusReason> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [406, "NotAcceptable"],
  [409, "Conflict"],
  [410, "Gone"],
  [413, "RequestEntityTooLarge"],
  [415, "UnsupportedMediaType"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);
