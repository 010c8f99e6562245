// Step: every throw below becomes a Status body, once, here. Also what every answer carries: ids, caching, warnings.
// Requirements: document 1, "Errors", "Request and response headers".

import type { Log } from "../../base/log.ts";
import { contentTypeOf, negotiateError } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import type { Answer, Step } from "../../http/pipeline.ts";
import type { Names } from "../../meta/names.ts";
import { StatusError } from "../../meta/status-error.ts";
import { encodeStatus } from "../../registry/encoding/encode-status.ts";
import type { TargetedRequest } from "../../registry/request.ts";
import { asAnswered } from "../../registry/storage-errors.ts";
import { warningHeaders } from "./warning-headers.ts";

export function answerErrors(names: Names, log: Log, cbor: boolean): Step<TargetedRequest, TargetedRequest> {
  const failed = (request: TargetedRequest, error: unknown): Response =>
    withCommonHeaders(names, request, errorAnswer(names, log, cbor, request, error));
  return function answerErrors(request, next) {
    let answer: Answer;
    try {
      answer = next(request);
    } catch (error) {
      return failed(request, error);
    }
    if (!(answer instanceof Promise)) return withCommonHeaders(names, request, answer);
    return answer.then(
      (response) => withCommonHeaders(names, request, response),
      (error) => failed(request, error),
    );
  };
}

function withCommonHeaders(names: Names, request: TargetedRequest, response: Response): Response {
  if (response.hijacked) return response;
  const headers: Record<string, string | readonly string[]> = {
    "audit-id": request.auditId,
    "cache-control": "no-cache, private",
  };
  for (const name in response.headers) headers[name] = response.headers[name]!;
  // Whoever answers, and be it a server behind: these say what this server has done.
  headers["audit-id"] = request.auditId;
  if (request.notes.flow !== undefined) {
    headers[names.flowSchemaHeader] = request.notes.flow.schemaUid;
    headers[names.priorityLevelHeader] = request.notes.flow.levelUid;
  }
  if (request.warnings.length > 0) headers["warning"] = warningHeaders(request.warnings);
  const { status, body, endsLine = false } = response;
  return body === undefined ? { status, headers } : { status, headers, body, endsLine };
}

function errorAnswer(names: Names, log: Log, cbor: boolean, request: TargetedRequest, error: unknown): Response {
  const status = toStatus(log, request, error);
  const output = negotiateError(
    {
      accept: request.headers.first("accept"),
      userAgent: request.headers.first("user-agent"),
      pretty: request.query.get("pretty") ?? undefined,
    },
    names,
    cbor,
  );
  const retryAfter = status.details?.retryAfterSeconds;
  return {
    status: status.code,
    headers: {
      "content-type": contentTypeOf(output, names),
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
      ...(status.code === 403 ? { "x-content-type-options": "nosniff" } : {}),
      // The rest of a body that was too large is not waited for.
      ...(status.code === 413 ? { connection: "close" } : {}),
    },
    body: encodeStatus(status.toBody() as unknown as Record<string, unknown>, output),
  };
}

/** Anything that is not a StatusError is a bug: its story goes to the log, nothing of it to the client. */
function toStatus(log: Log, request: TargetedRequest, thrown: unknown): StatusError {
  const error = asAnswered(thrown, request.target);
  if (error instanceof StatusError) return error;
  log.error(
    { err: error, method: request.method, path: request.path, auditId: request.auditId },
    "the request failed unexpectedly",
  );
  return new StatusError(
    500,
    "InternalError",
    "Internal error occurred: the server has logged the cause under this request's Audit-Id",
    {
      causes: [{ message: "unexpected error" }],
    },
  );
}
