// The string formats that schemas of custom resources may ask for. Unknown formats are not checked: those that came with
// this version (k8s-short-name, k8s-long-name) neither, as long as the version before may serve the same objects.

import { readRequestUrl } from "../base/url-text.ts";
import { parseSpelledDuration } from "./duration.ts";
import { parseCidr, parseIp, withoutLeadingZeros } from "./ip.ts";

/** Whether the text is of the format; undefined when nobody knows the format. Dashes in its name do not count. */
export function matchesFormat(format: string, text: string): boolean | undefined {
  const check = FORMATS.get(normalized(format));
  if (check === undefined) return undefined;
  return text.length <= MAX_CHECKED_LENGTH && check(text);
}

export function isKnownFormat(format: string): boolean {
  return FORMATS.has(normalized(format));
}

/** No format allows longer texts but passwords, whose length nobody looks at. */
const MAX_CHECKED_LENGTH = 1 << 20;

function normalized(format: string): string {
  return format.includes("-") ? format.replaceAll("-", "") : format;
}

const matching = (pattern: RegExp) => (text: string) => pattern.test(text);

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", matching(/^[0-9a-fA-F]{24}$/)],
  ["uri", (text: string) => typeof readRequestUrl(text) !== "string"],
  ["email", isEmail],
  ["hostname", isHostname],
  // Upstream still takes 010.0.0.1 here, reading it as decimal.
  ["ipv4", (text: string) => text.includes(".") && parseIp(withoutLeadingZeros(text)) !== undefined],
  ["ipv6", (text: string) => text.includes(":") && parseIp(text) !== undefined],
  ["cidr", (text: string) => parseCidr(withoutLeadingZeros(text)) !== undefined],
  ["mac", isMac],
  ["uuid", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["isbn", (text: string) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ["hexcolor", matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["rgbcolor", isRgbColor],
  ["byte", matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["password", () => true],
  ["date", isDate],
  ["duration", (text: string) => parseSpelledDuration(text) !== undefined],
  ["datetime", isDateTime],
]);

function isEmail(text: string): boolean {
  const bracketed = /^[^<>]*<([^<>]+)>\s*$/.exec(text);
  const address = (bracketed?.[1] ?? text).trim();
  const at = address.lastIndexOf("@");
  if (at <= 0) return false;
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  const atom = /^[^\s()<>[\]:;@\\,."]+(?:\.[^\s()<>[\]:;@\\,."]+)*$/;
  const quoted = /^"(?:[^"\\]|\\.)*"$/;
  return (atom.test(local) || quoted.test(local)) && (atom.test(domain) || /^\[[^[\]\\]*\]$/.test(domain));
}

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255) return false;
  const parts = text.split(".");
  if (parts.some((part) => Buffer.byteLength(part) > 63)) return false;
  if (parts.length === 1) return /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u.test(text);
  const label = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
  const last = parts.pop() ?? "";
  return parts.every((part) => label.test(part)) && /^[a-zA-Z\p{L}]{2,63}$/u.test(last);
}

function isMac(text: string): boolean {
  if (/^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/.test(text)) return [6, 8, 20].includes((text.length + 1) / 2.5);
  const separated = /^[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2})*$/;
  return separated.test(text) && [6, 8, 20].includes((text.length + 1) / 3);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (i + 1) * (digits[i] === "X" ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return (10 - (sum % 10)) % 10 === Number(digits[12]);
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  const issuer =
    /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(?:222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$/;
  if (!issuer.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const parts = /^rgb\(\s*(0|[1-9]\d?|\d{3})\s*,\s*(0|[1-9]\d?|\d{3})\s*,\s*(0|[1-9]\d?|\d{3})\s*\)$/.exec(text);
  return parts?.slice(1).every((part) => !/^0\d/.test(part) && Number(part) <= 255) ?? false;
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split("t");
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const parts = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time);
  return parts !== null && Number(parts[1]) <= 23 && Number(parts[2]) <= 59 && Number(parts[3]) <= 59;
}
