// Reads URLs as the API's uri format does: an absolute URL or an absolute path, leniently inside.

import { authorityProblem, brokenEscape } from "../../base/url-authority.ts";
import { shownText } from "../errors.ts";

export interface Url {
  readonly scheme: string;
  /** With the port, brackets included. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
  /** The text that it was read from. */
  readonly text: string;
}

/** The URL, or what is wrong with the text. */
export function parseUrl(text: string): Url | { problem: string } {
  const fail = (problem: string): { problem: string } => ({ problem: `parse ${shownText(text)}: ${problem}` });
  if (text === "") return fail("empty url");
  if (/[\x00-\x1f\x7f]/.test(text)) return fail("net/url: invalid control character in URL");
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(text)?.[0] ?? "";
  if (scheme === "" && /^:/.test(text)) return fail("missing protocol scheme");
  if (scheme === "" && !text.startsWith("/")) return fail("invalid URI for request");
  let rest = scheme === "" ? text : text.slice(scheme.length + 1);
  const hash = rest.indexOf("#");
  if (hash >= 0) rest = rest.slice(0, hash);
  const question = rest.indexOf("?");
  const query = question < 0 ? "" : rest.slice(question + 1);
  if (question >= 0) rest = rest.slice(0, question);
  const lower = scheme.toLowerCase();
  if (!rest.startsWith("/")) return { scheme: lower, host: "", path: "", query, text };
  let host = "";
  if (scheme !== "" && rest.startsWith("//")) {
    const slash = rest.indexOf("/", 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? "" : rest.slice(slash);
    const problem = authorityProblem(authority);
    if (problem !== undefined) return fail(problem);
    host = authority.slice(authority.lastIndexOf("@") + 1);
  }
  const invalid = brokenEscape(rest);
  if (invalid !== undefined) return fail(`invalid URL escape "${invalid}"`);
  return { scheme: lower, host, path: rest, query, text };
}

/** The path with every character escaped that must be. */
export function escapedPath(url: Url): string {
  if (/^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]/]|%[0-9A-Fa-f]{2})*$/.test(url.path)) return url.path;
  return url.path.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-_.~$&+,/:;=@]/gu, (found) => {
    if (found.length === 3 && found.startsWith("%")) return found;
    return Array.from(
      new TextEncoder().encode(found),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    ).join("");
  });
}

export function hostnameOf(host: string): string {
  return splitHost(host).name.replace(/^\[(.*)\]$/, "$1");
}

export function portOf(host: string): string {
  return splitHost(host).port;
}

/** The values of each name, in order. Pairs that cannot be read are left out. */
export function queryValues(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

function splitHost(host: string): { name: string; port: string } {
  const found = /^(.*?)(?::([0-9]*))?$/.exec(host);
  if (host.startsWith("[")) {
    const close = host.lastIndexOf("]");
    return { name: host.slice(0, close + 1), port: host.slice(close + 1).replace(/^:/, "") };
  }
  return { name: found?.[1] ?? host, port: found?.[2] ?? "" };
}

function decode(text: string): string | undefined {
  if (brokenEscape(text) !== undefined) return undefined;
  const plain = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(plain);
  } catch {
    return undefined;
  }
}
