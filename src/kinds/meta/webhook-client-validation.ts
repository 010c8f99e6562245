// Where a webhook is: an address or a service. Shared by every kind that names one.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, portNumberProblems } from "../../meta/name-formats.ts";

const FORM = "; desired format: https://host[/path]";

/** `httpsOnly`: plain HTTP is refused. */
export function* webhookUrlErrors(text: string, path: string, httpsOnly = true): Generator<FieldError> {
  const problem = urlProblem(text);
  if (problem !== undefined) {
    yield required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: ${problem}${FORM}`);
    return;
  }
  const parts = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(\?[^#]*)?(#.*)?$/.exec(text);
  if (parts === null || (parts[1] !== undefined && parts[2] !== undefined && parts[2] !== "" && !URL.canParse(text))) {
    yield required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URL${FORM}`);
    return;
  }
  const [, scheme = "", authority = "", query = "", fragment = ""] = parts;
  if (httpsOnly && scheme.toLowerCase() !== "https") {
    yield invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`);
  }
  const at = authority.lastIndexOf("@");
  if (authority.slice(at + 1) === "") yield invalid(path, authority.slice(at + 1), `host must be specified${FORM}`);
  if (at >= 0) yield invalid(path, authority.slice(0, at), "user information is not permitted in the URL");
  if (fragment.length > 1) yield invalid(path, fragment.slice(1), "fragments are not permitted in the URL");
  if (query.length > 1) yield invalid(path, query.slice(1), "query parameters are not permitted in the URL");
}

/** Why a text is no address at all, in the words of upstream's parser; undefined when it may be one. */
function urlProblem(text: string): string | undefined {
  if (CONTROL_CHARACTER.test(text)) return "net/url: invalid control character in URL";
  if (text.startsWith(":")) return "missing protocol scheme";
  const hasScheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text);
  if (!hasScheme && text.split("/")[0]!.includes(":")) return "first path segment in URL cannot contain colon";
  const broken = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text);
  return broken === null ? undefined : `invalid URL escape ${JSON.stringify(broken[0])}`;
}

const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;

export interface WebhookService {
  readonly name: string;
  readonly namespace: string;
  readonly path?: string | null;
  readonly port?: number | null;
}

export function* webhookServiceErrors(
  { name, namespace, path, port }: WebhookService,
  at: string,
): Generator<FieldError> {
  if (name === "") yield required(`${at}.name`);
  if (namespace === "") yield required(`${at}.namespace`);
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
  const trimmed = text.slice(1).replace(/\/$/, "");
  for (const [i, segment] of trimmed.split("/").entries()) {
    if (segment === "") {
      yield invalid(path, text, `segment[${i}] may not be empty`);
      continue;
    }
    for (const problem of dns1123SubdomainProblems(segment)) yield invalid(path, text, `segment[${i}]: ${problem}`);
  }
}
