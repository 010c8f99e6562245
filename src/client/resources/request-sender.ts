// Sends requests and reads answers: failures become ApiError, warnings reach whoever listens.

import type { Clock } from "../../base/clock.ts";
import type { Names } from "../../meta/names.ts";
import { readApiError } from "../api-error.ts";
import type { EmptyResources } from "../empty-resources.ts";
import type { ApiRequest, ApiResponse, Transport } from "../transport.ts";
import { decodeObject, encodeObject } from "./decode-object.ts";

/** What everything in this folder works with. */
export interface RequestSender {
  readonly transport: Transport;
  readonly names: Names;
  readonly clock: Clock;
  /** Between 0 and 1, for jitter. */
  readonly random: () => number;
  /** Recorded as the owner of fields by writes that name none. */
  readonly fieldManager: string | undefined;
  readonly onWarning: ((warning: string, request: WarnedRequest) => void) | undefined;
  /** Told of every object that a write is answered with, sub-resources included; not of dry runs. */
  readonly onWritten: ((object: unknown) => void) | undefined;
  /** Nobody follows a resource before it has an object; all are followed at once when not given. */
  readonly emptyResources: EmptyResources | undefined;
}

export type WarnedRequest = Pick<ApiRequest, "method" | "path">;

export interface RequestOptions {
  /** Ends the request; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each warning of the server, in place of the client's own listener. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

export interface Sent extends RequestOptions {
  readonly method: ApiRequest["method"];
  readonly path: string;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly object?: unknown;
  /** The answer's body is not decoded. */
  readonly answer?: "unread" | undefined;
  /** The answer is an object as it stands in the store from now on. */
  readonly isWritten?: boolean;
  /** Until the head of the answer. */
  readonly timeoutMs?: number;
}

/** Until the head of an answer: the server's own limit of ordinary requests is a minute. */
const TIMEOUT_MS = 65_000;

/** The answer to a request that went well. Fails with ApiError, TransportError, or the signal's reason. */
export async function send(sender: RequestSender, sent: Sent): Promise<ApiResponse> {
  const { method, path, object, signal, contentType, accept, timeoutMs = TIMEOUT_MS } = sent;
  // Member by member, here and in what leads here: every request does this, and spread objects are slow to make.
  const response = await sender.transport.request({
    method,
    path,
    timeoutMs,
    signal,
    body: object === undefined ? undefined : encodeObject(object),
    headers: headersOf(contentType, accept),
  });
  for (const warning of response.warnings) {
    if (sent.onWarning !== undefined) sent.onWarning(warning);
    else sender.onWarning?.(warning, { method, path });
  }
  if (response.status >= 400) throw await readApiError({ method, path }, response);
  return response;
}

/** The same, with the answer's body as an object; undefined where that is not read. */
export async function sendForObject(sender: RequestSender, sent: Sent): Promise<unknown> {
  const response = await send(sender, sent);
  if (sent.answer !== "unread") {
    const object = decodeObject(await response.bytes());
    if (sent.isWritten) sender.onWritten?.(object);
    return object;
  }
  // What is left on a connection keeps others from it.
  for await (const _piece of response.stream());
  return undefined;
}

/** Of all options, those that every request has. */
export function sendOptions({ signal, onWarning }: RequestOptions): RequestOptions {
  return { signal, onWarning };
}

function headersOf(contentType: string | undefined, accept: string | undefined): ApiRequest["headers"] {
  if (contentType === undefined) return accept === undefined ? undefined : { accept };
  return accept === undefined ? { "content-type": contentType } : { "content-type": contentType, accept };
}
