// Texts as URLs: an absolute URL or an absolute path, and what expressions ask of it.

import { brokenEscape } from "../../base/url-authority.ts";
import { readRequestUrl, readUrl, type UrlParts } from "../../base/url-text.ts";
import { shownText } from "../errors.ts";

export interface Url extends UrlParts {
  /** The text that it was read from. */
  readonly text: string;
}

/** The URL, or what is wrong with the text. */
export function parseUrl(text: string): Url | { problem: string } {
  const read = readUrl(text);
  return typeof read === "string" ? { problem: parseProblem(text, read) } : { ...read, text };
}

/** What is wrong with a text that should be a URL without a fragment. */
export function urlProblem(text: string): string | undefined {
  const read = readRequestUrl(text);
  return typeof read === "string" ? parseProblem(text, read) : undefined;
}

const parseProblem = (text: string, problem: string): string => `parse ${shownText(text)}: ${problem}`;

/** The path as it stands; where that has characters that must be escaped, all of it is escaped anew. */
export function escapedPath({ path }: Url): string {
  if (/^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]/]|%[0-9A-Fa-f]{2})*$/.test(path)) return path;
  return path.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-_.~$&+,/:;=@]/gu, (found) => {
    const bytes = found.length === 3 ? Buffer.from(found.slice(1), "hex") : Buffer.from(found);
    return Array.from(bytes, escapedByte).join("");
  });
}

function escapedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)
    ? character
    : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
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
