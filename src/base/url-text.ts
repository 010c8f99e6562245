// The parts of a URL as upstream reads them, leniently inside.

import { authorityProblem, brokenEscape } from "./url-authority.ts";

export interface UrlParts {
  readonly scheme: string;
  /** With the port, brackets included. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/**
 * An absolute URL or an absolute path, as the line of a request has it, or what is wrong with it. A fragment is no part of
 * those: a sharp counts as what it stands in.
 */
export const readRequestUrl = (text: string): UrlParts | string => (text === "" ? "empty url" : read(text, true));

/** The same with a fragment, and with a host behind two slashes though no scheme is before them. */
export function readUrl(text: string): UrlParts | string {
  const asRequest = readRequestUrl(text);
  if (typeof asRequest === "string") return asRequest;
  const sharp = text.indexOf("#");
  const parts = read(sharp < 0 ? text : text.slice(0, sharp), false);
  return (sharp < 0 ? undefined : escapeProblem(text.slice(sharp + 1))) ?? parts;
}

function read(text: string, isRequest: boolean): UrlParts | string {
  if (/[\x00-\x1f\x7f]/.test(text)) return "net/url: invalid control character in URL";
  if (text === "*") return { scheme: "", host: "", path: text, query: "" };
  if (text.startsWith(":")) return "missing protocol scheme";
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(text)?.[0].toLowerCase() ?? "";
  const [, before = "", query = ""] =
    /^([^?]*)(?:\?(.*))?$/s.exec(scheme === "" ? text : text.slice(scheme.length + 1)) ?? [];
  if (!before.startsWith("/")) {
    return scheme === "" ? "invalid URI for request" : { scheme, host: "", path: "", query };
  }
  if (!before.startsWith("//") || (scheme === "" && (isRequest || before.startsWith("///")))) {
    return escapeProblem(before) ?? { scheme, host: "", path: before, query };
  }
  const slash = before.indexOf("/", 2);
  const authority = slash < 0 ? before.slice(2) : before.slice(2, slash);
  const path = slash < 0 ? "" : before.slice(slash);
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return authorityProblem(authority) ?? escapeProblem(path) ?? { scheme, host, path, query };
}

function escapeProblem(text: string): string | undefined {
  const broken = brokenEscape(text);
  return broken === undefined ? undefined : `invalid URL escape "${broken}"`;
}
