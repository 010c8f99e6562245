// The values of literal tokens: numbers within 64 bits, strings and bytes with their escapes.

import { CelDouble, type CelInt, CelUint, type CelValue } from "../values.ts";
import { T } from "./lexer.ts";

export const MIN_INT64 = -(2n ** 63n);
export const MAX_INT64 = 2n ** 63n - 1n;
export const MAX_UINT64 = 2n ** 64n - 1n;

interface ReadLiteral {
  readonly value: CelValue;
  /** What is wrong with it; the value is then any. */
  readonly problem?: string;
}

/** Undefined when the token is no literal. */
export function readLiteral(kind: number, text: string, negative: boolean): ReadLiteral | undefined {
  switch (kind) {
    case T.int:
      return orProblem(readInt(text, negative), "invalid int literal");
    case T.double: {
      const value = negative ? -Number(text) : Number(text);
      return orProblem(Number.isFinite(value) ? new CelDouble(value) : undefined, "invalid double literal");
    }
    case T.uint:
      return orProblem(readUint(text), "invalid uint literal");
    case T.string:
      return readString(text);
    case T.bytes:
      return orProblem(readBytes(text), BAD_ESCAPE);
    case T.true:
    case T.false:
      return { value: text === "true" };
    case T.null:
      return { value: null };
    default:
      return undefined;
  }
}

function orProblem(value: CelValue | undefined, problem: string): ReadLiteral {
  return value === undefined ? { value: 0, problem } : { value };
}

/** Longer ones are refused: to read a hundred thousand digits exactly takes as long as a whole expression. */
const MAX_INTEGER_CHARACTERS = 4_096;

/** Undefined when it does not fit 64 bits. */
function readInt(text: string, negative: boolean): CelInt | undefined {
  if (text.length < 16) {
    const small = Number(text);
    return negative && small !== 0 ? -small : small;
  }
  if (text.length > MAX_INTEGER_CHARACTERS) return undefined;
  const value = negative ? -BigInt(text) : BigInt(text);
  if (value < MIN_INT64 || value > MAX_INT64) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function readUint(text: string): CelUint | undefined {
  if (text.length > MAX_INTEGER_CHARACTERS) return undefined;
  const value = BigInt(text.slice(0, -1));
  if (value > MAX_UINT64) return undefined;
  return new CelUint(Number.isSafeInteger(Number(value)) ? Number(value) : value);
}

const BAD_ESCAPE = "unable to unescape string";

function readString(token: string): ReadLiteral {
  const { body, raw } = unquote(token);
  if (raw || !body.includes("\\")) return { value: body };
  let result = "";
  let problem: string | undefined;
  eachPart(
    body,
    (text) => {
      result += text;
    },
    (code, isByte) => {
      // \xHH and \ooo name code points in a string and bytes in a bytes literal.
      if (!isByte && ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)) problem ??= "invalid unicode code point";
      else result += String.fromCodePoint(code);
    },
    () => {
      problem ??= BAD_ESCAPE;
    },
  );
  return problem === undefined ? { value: result } : { value: 0, problem };
}

/** Undefined when an escape is wrong. */
function readBytes(token: string): Uint8Array | undefined {
  const { body, raw } = unquote(token);
  if (raw || !body.includes("\\")) return new TextEncoder().encode(body);
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  let valid = true;
  eachPart(
    body,
    (text) => {
      for (const byte of encoder.encode(text)) bytes.push(byte);
    },
    (code, isByte) => {
      if (isByte) bytes.push(code);
      else valid = false;
    },
    () => {
      valid = false;
    },
  );
  return valid ? Uint8Array.from(bytes) : undefined;
}

function unquote(token: string): { body: string; raw: boolean } {
  const first = token.charCodeAt(0);
  const plain = (first === 34 || first === 39) && token.charCodeAt(1) !== first && !token.includes("\r");
  if (plain) return { body: token.slice(1, -1), raw: false };
  const prefix = /^[rRbB]*/.exec(token)?.[0] ?? "";
  const quoted = token.slice(prefix.length);
  const triple = quoted.length >= 6 && quoted.startsWith(quoted.charAt(0).repeat(3));
  const body = (triple ? quoted.slice(3, -3) : quoted.slice(1, -1)).replace(/\r\n?/g, "\n");
  return { body, raw: /[rR]/.test(prefix) };
}

const ESCAPE =
  /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]|$))/g;

const SIMPLE: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};

function eachPart(
  body: string,
  onText: (text: string) => void,
  onCode: (code: number, isByte: boolean) => void,
  onBad: () => void,
): void {
  let last = 0;
  for (const found of body.matchAll(ESCAPE)) {
    if (found.index > last) onText(body.slice(last, found.index));
    last = found.index + found[0].length;
    const [, simple, hex, unicode4, unicode8, octal] = found;
    if (simple !== undefined) onText(SIMPLE[simple] ?? "");
    else if (hex !== undefined) onCode(Number.parseInt(hex, 16), true);
    else if (unicode4 !== undefined) onCode(Number.parseInt(unicode4, 16), false);
    else if (unicode8 !== undefined) onCode(Number.parseInt(unicode8, 16), false);
    else if (octal !== undefined) onCode(Number.parseInt(octal, 8), true);
    else onBad();
  }
  if (last < body.length) onText(body.slice(last));
}
