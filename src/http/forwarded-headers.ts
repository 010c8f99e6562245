// The headers of requests and answers that are carried on: what belongs to one connection, to this server or to the caller's
// credentials stays here. Every proxy of this server goes by these rules.

import type { ClientRequest, IncomingMessage } from "node:http";
import { fromWire, toWire } from "./header-text.ts";
import type { ReceivedRequest } from "./message.ts";

export type Headers = Record<string, string | string[]>;

/** They belong to one connection, not to the request. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Never passed on: credentials, and what only a proxy may say. */
const OURS =
  /^(?:authorization|x-remote-.*|impersonate-.*|x-forwarded-(?:for|uri|host|proto)|content-length|host|audit-id|:.*)$/;

/** This server alone says under which id it has recorded a request, and who may read its answers. */
const NOT_THEIRS = /^(?:audit-id|content-length|access-control-.*)$/;

/** Without those that name the server behind. In the form that node sends. */
export function forwardedHeaders(request: ReceivedRequest): Headers {
  const { headers, remoteAddress, path } = request;
  const named = namedByConnection(headers.all("connection"));
  const kept: Headers = {};
  for (const name of headers.namesWithPrefix("")) {
    if (HOP_BY_HOP.has(name) || named.has(name) || OURS.test(name)) continue;
    kept[name] = headers.all(name).map(toWire);
  }
  return {
    ...kept,
    "x-forwarded-for": toWire([...headers.all("x-forwarded-for"), remoteAddress].join(", ")),
    "x-forwarded-uri": toWire(path),
  };
}

/**
 * Node drops what is above its limit on lines without a word, and the answer means something else. Its limit on their bytes
 * stays: an answer above that is an error.
 */
export function readEveryHeaderLine(sent: ClientRequest): void {
  sent.maxHeadersCount = 0;
}

/** Of an answer, as it is handed back. */
export function answerHeaders({ headers }: Pick<IncomingMessage, "headers">): Headers {
  const named = namedByConnection(headers.connection === undefined ? [] : [headers.connection]);
  const kept: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_BY_HOP.has(name) || named.has(name) || NOT_THEIRS.test(name)) continue;
    kept[name] = typeof value === "string" ? fromWire(value) : value.map(fromWire);
  }
  return kept;
}

/**
 * The head of an answer that switches protocols: the names and the order of headers stay, and their values too unless
 * `changed` has another. One character is one byte.
 */
export function switchingHead(
  { statusCode, statusMessage, rawHeaders }: IncomingMessage,
  changed: ReadonlyMap<string, string> = new Map(),
): string {
  let lines = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!NOT_THEIRS.test(name)) lines += `${rawHeaders[at]}: ${changed.get(name) ?? rawHeaders[at + 1]}\r\n`;
  }
  return `${lines}\r\n`;
}

/** Whoever sends a header can say that it is meant for the next server only. */
function namedByConnection(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(",").map((name) => name.trim().toLowerCase())));
}
