// Where a webhook is: an address or a service. Shared by every kind that names one.

import { authorityProblem, brokenEscape } from "../../base/url-authority.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, portNumberProblems } from "../../meta/name-formats.ts";

const FORM = "; desired format: https://host[/path]";
const PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;

/** `httpsOnly`: plain HTTP is refused. */
export function* webhookUrlErrors(text: string, path: string, httpsOnly = true): Generator<FieldError> {
  const [, scheme = "", authority = "", place = "", query = "", fragment = ""] = PARTS.exec(text) ?? [];
  const problem = urlProblem(text, scheme, authority, place);
  if (problem !== undefined) {
    yield required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: ${problem}${FORM}`);
    return;
  }
  if (httpsOnly && scheme.toLowerCase() !== "https") {
    yield invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`);
  }
  const at = authority.lastIndexOf("@");
  if (authority.slice(at + 1) === "") yield invalid(path, "", `host must be specified${FORM}`);
  if (at >= 0) yield invalid(path, authority.slice(0, at), "user information is not permitted in the URL");
  if (fragment !== "") yield invalid(path, fragment, "fragments are not permitted in the URL");
  if (query !== "") yield invalid(path, query, "query parameters are not permitted in the URL");
}

/** Why a text is no address at all, in the words of upstream's parser; undefined when it may be one. */
function urlProblem(text: string, scheme: string, authority: string, place: string): string | undefined {
  if (CONTROL_CHARACTER.test(text)) return "net/url: invalid control character in URL";
  if (text.startsWith(":")) return "missing protocol scheme";
  if (scheme === "" && text.split("/", 1)[0]!.includes(":")) return "first path segment in URL cannot contain colon";
  const broken = brokenEscape(place);
  return authorityProblem(authority) ?? (broken === undefined ? undefined : `invalid URL escape "${broken}"`);
}

interface WebhookService {
  readonly name: string;
  readonly namespace: string;
  readonly path?: string | null;
  readonly port?: number | null;
}

/** Of a missing name upstream says that the namespace is missing, and the other way round: so do we. */
export function* webhookServiceErrors(
  { name, namespace, path, port }: WebhookService,
  at: string,
): Generator<FieldError> {
  if (namespace === "") yield required(`${at}.name`);
  if (name === "") yield required(`${at}.namespace`);
  if (port !== undefined && port !== null && (port < 1 || port > 65535)) {
    yield invalid(`${at}.port`, port, `port is not valid: ${portNumberProblems(port).join(",")}`);
  }
  if (path) yield* pathErrors(path, `${at}.path`);
}

function* pathErrors(text: string, path: string): Generator<FieldError> {
  if (text === "/") return;
  if (text === "//") {
    yield invalid(path, text, "segment[0] may not be empty");
    return;
  }
  if (!text.startsWith("/")) yield invalid(path, text, "must start with a '/'");
  // The first byte is taken for the slash, whatever it is.
  const trimmed = Buffer.from(text).subarray(1).toString().replace(/\/$/, "");
  for (const [i, segment] of trimmed.split("/").entries()) {
    if (segment === "") {
      yield invalid(path, text, `segment[${i}] may not be empty`);
      continue;
    }
    for (const problem of dns1123SubdomainProblems(segment)) yield invalid(path, text, `segment[${i}]: ${problem}`);
  }
}
