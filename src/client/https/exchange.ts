// One request on one connection, and the head of its answer: the same for HTTP/1.1 and HTTP/2.

import type { Readable } from "node:stream";
import type { ApiRequest } from "../transport.ts";

export interface OutgoingRequest {
  readonly method: ApiRequest["method"];
  readonly path: string;
  /** Lower case; without host. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | undefined;
  /** Asked when there is a connection: fails where it must not be sent any more. */
  readonly beforeSending: (() => void) | undefined;
}

export interface IncomingAnswer {
  readonly status: number;
  /** Lower case; repeated ones joined by ", ". */
  readonly headers: Map<string, string>;
  readonly body: Readable;
  /** Its connection is asked for signs of life. */
  readonly pinged: boolean;
  /** Asked when the body has ended: whether the server ended it, and not the loss of the connection. */
  whole(): boolean;
}

/** There was no answer on this connection. */
export class ExchangeFailed extends Error {
  /** The server has certainly not acted on the request: it may be sent again, whatever it is. */
  readonly unsent: boolean;

  constructor(message: string, unsent: boolean, cause?: unknown) {
    super(message, { cause });
    this.unsent = unsent;
  }
}

export function headerMap(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Map<string, string> {
  const map = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":")) continue;
    map.set(name, typeof value === "string" ? value : value.join(", "));
  }
  return map;
}
