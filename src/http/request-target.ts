// The request line and the header lines that say where a request goes, before anybody looks at what it means.

import { fromWire } from "./header-text.ts";

/** Of path and query together. Longer ones have no meaning here, and would be copied into every place that names them. */
const MAX_TARGET_LENGTH = 128 * 1024;
const MAX_PATH_LENGTH = 16 * 1024;
/** More lines than any client sends; node would drop those above its own limit without a word. */
export const MAX_HEADER_LINES = 1_000;

/** As much of a node request as is looked at. */
export interface RequestHead {
  readonly url?: string | undefined;
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
  /** Name, value, name, value. */
  readonly rawHeaders: readonly string[];
}

/** Why a request cannot be taken, as a status and a sentence. */
export interface HeadProblem {
  readonly status: 400 | 414 | 431 | 501;
  readonly message: string;
}

export function headProblem(head: RequestHead): HeadProblem | undefined {
  const { rawHeaders, url = "" } = head;
  if (rawHeaders.length > 2 * MAX_HEADER_LINES) return { status: 431, message: "Request Header Fields Too Large" };
  const question = url.indexOf("?");
  if (url.length > MAX_TARGET_LENGTH || (question < 0 ? url.length : question) > MAX_PATH_LENGTH)
    return { status: 414, message: "URI Too Long" };
  if (requestTarget(url) === undefined) return { status: 400, message: "400 Bad Request" };
  return lineProblem(head);
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;

/**
 * Path and query of a request target, in its origin form (`/path`), its absolute form (`https://host/path`) or as the one
 * asterisk; undefined for anything else.
 */
export function requestTarget(sent: string): string | undefined {
  if (sent.startsWith("/")) return fromWire(sent);
  if (sent === "*") return sent;
  const [origin] = ABSOLUTE.exec(sent) ?? [];
  if (origin === undefined) return undefined;
  const rest = fromWire(sent.slice(origin.length));
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function lineProblem({ rawHeaders, httpVersionMajor, httpVersionMinor }: RequestHead): HeadProblem | undefined {
  let hosts = 0;
  let codings = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
    if (name.length !== CODING.length || name.toLowerCase() !== CODING) continue;
    codings += 1;
    // What else it can say, servers do not agree about: where one request ends and the next begins.
    if (codings > 1 || rawHeaders[at + 1]!.toLowerCase() !== "chunked")
      return { status: 501, message: "501 Not Implemented: unsupported transfer encoding" };
  }
  if (hosts > 1) return { status: 400, message: "400 Bad Request: too many Host headers" };
  // HTTP/2 has a pseudo-header of its own for it, HTTP/1.0 none at all.
  if (hosts === 0 && httpVersionMajor === 1 && httpVersionMinor === 1)
    return { status: 400, message: "400 Bad Request: missing required Host header" };
  return undefined;
}

const HOST = "host";
const CODING = "transfer-encoding";
