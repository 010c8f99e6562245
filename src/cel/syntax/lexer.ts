// Text to tokens. One pass, no backtracking; the tokens are three parallel arrays, so a long text costs little.

export const T = {
  end: 0,
  ident: 1,
  escapedIdent: 2,
  int: 3,
  uint: 4,
  double: 5,
  string: 6,
  bytes: 7,
  true: 8,
  false: 9,
  null: 10,
  in: 11,
  equals: 12,
  notEquals: 13,
  less: 14,
  lessEquals: 15,
  greater: 16,
  greaterEquals: 17,
  and: 18,
  or: 19,
  plus: 20,
  minus: 21,
  star: 22,
  slash: 23,
  percent: 24,
  bang: 25,
  question: 26,
  colon: 27,
  comma: 28,
  dot: 29,
  leftParen: 30,
  rightParen: 31,
  leftBracket: 32,
  rightBracket: 33,
  leftBrace: 34,
  rightBrace: 35,
} as const;

export interface Tokens {
  readonly kinds: number[];
  readonly starts: number[];
  readonly ends: number[];
}

interface LexicalError {
  readonly offset: number;
  readonly message: string;
}

export function tokenize(text: string): { tokens: Tokens; errors: LexicalError[] } {
  const kinds: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const errors: LexicalError[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    const code = text.charCodeAt(at);
    if (code === 32 || (code >= 9 && code <= 13 && code !== 11)) {
      at++;
      continue;
    }
    if (code === 47 && text.charCodeAt(at + 1) === 47) {
      const newline = text.indexOf("\n", at);
      at = newline < 0 ? text.length : newline;
      continue;
    }
    let kind = 0;
    if (isIdentStart(code)) {
      const quote = stringPrefixLength(text, at);
      const end = quote < 0 ? -1 : scanString(text, at + quote, /[rR]/.test(text.slice(at, at + quote)));
      if (end >= 0) {
        kind = /[bB]/.test(text.slice(at, at + quote)) ? T.bytes : T.string;
        at = end;
      } else {
        at++;
        while (at < text.length && isIdentPart(text.charCodeAt(at))) at++;
        // Keywords have two, four or five letters: no others are looked up.
        kind = at - start > MAX_KEYWORD_LENGTH ? T.ident : (KEYWORDS.get(text.slice(start, at)) ?? T.ident);
      }
    } else if (isDigit(code) || (code === 46 && isDigit(text.charCodeAt(at + 1)))) {
      NUMBER.lastIndex = at;
      const found = NUMBER.exec(text)?.[0] ?? "";
      at += found.length;
      kind = numberKind(found);
    } else if (code === 34 || code === 39) {
      kind = T.string;
      at = scanString(text, at, false);
    } else if (code === 96) {
      ESCAPED_IDENT.lastIndex = at;
      const found = ESCAPED_IDENT.exec(text)?.[0];
      if (found !== undefined) {
        kind = T.escapedIdent;
        at += found.length;
      } else {
        at = -1;
      }
    } else {
      kind = punctuation(code, text.charCodeAt(at + 1));
      at = kind === T.end ? -1 : at + (isTwoUnits(kind) ? 2 : 1);
    }
    if (at < 0) {
      at = unreadableEnd(text, start);
      errors.push({
        offset: start,
        message: `Syntax error: token recognition error at: '${shown(text.slice(start, at))}'`,
      });
      if (errors.length >= MAX_LEXICAL_ERRORS) break;
      continue;
    }
    kinds.push(kind);
    starts.push(start);
    ends.push(at);
  }
  kinds.push(T.end);
  starts.push(text.length);
  ends.push(text.length);
  return { tokens: { kinds, starts, ends }, errors };
}

const MAX_LEXICAL_ERRORS = 20;
const MAX_SHOWN = 256;

/** Behind the first character that does not go on with what began here. */
function unreadableEnd(text: string, start: number): number {
  const code = text.charCodeAt(start);
  let last = start;
  if (code === 34 || code === 39) last = ~scanString(text, start, false);
  else if (code === 38 || code === 61 || code === 124) last = start + 1;
  const point = text.codePointAt(last);
  return point === undefined ? text.length : last + (point > 0xffff ? 2 : 1);
}

function shown(text: string): string {
  return text.slice(0, MAX_SHOWN).replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}

const KEYWORDS = new Map<string, number>([
  ["true", T.true],
  ["false", T.false],
  ["null", T.null],
  ["in", T.in],
]);

const MAX_KEYWORD_LENGTH = 5;

/** The mark that starts with this unit and may go on with the next; the end's kind for none. */
function punctuation(code: number, next: number): number {
  switch (code) {
    case 33:
      return next === 61 ? T.notEquals : T.bang;
    case 37:
      return T.percent;
    case 38:
      return next === 38 ? T.and : T.end;
    case 40:
      return T.leftParen;
    case 41:
      return T.rightParen;
    case 42:
      return T.star;
    case 43:
      return T.plus;
    case 44:
      return T.comma;
    case 45:
      return T.minus;
    case 46:
      return T.dot;
    case 47:
      return T.slash;
    case 58:
      return T.colon;
    case 60:
      return next === 61 ? T.lessEquals : T.less;
    case 61:
      return next === 61 ? T.equals : T.end;
    case 62:
      return next === 61 ? T.greaterEquals : T.greater;
    case 63:
      return T.question;
    case 91:
      return T.leftBracket;
    case 93:
      return T.rightBracket;
    case 123:
      return T.leftBrace;
    case 124:
      return next === 124 ? T.or : T.end;
    case 125:
      return T.rightBrace;
    default:
      return T.end;
  }
}

function isTwoUnits(kind: number): boolean {
  switch (kind) {
    case T.equals:
    case T.notEquals:
    case T.lessEquals:
    case T.greaterEquals:
    case T.and:
    case T.or:
      return true;
    default:
      return false;
  }
}

const NUMBER = /0x[0-9a-fA-F]+[uU]?|[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|[0-9]+[uU]?/y;
const ESCAPED_IDENT = /`[a-zA-Z0-9_.\-/ ]+`/y;

function numberKind(text: string): number {
  if (/[uU]$/.test(text)) return T.uint;
  if (text.startsWith("0x")) return T.int;
  return /[.eE]/.test(text) ? T.double : T.int;
}

/** How many letters stand before the quote of a prefixed string; -1 when this is no string. */
function stringPrefixLength(text: string, at: number): number {
  for (let length = 1; length <= 2; length++) {
    const code = text.charCodeAt(at + length);
    if (code === 34 || code === 39) return PREFIXES.has(text.slice(at, at + length).toLowerCase()) ? length : -1;
  }
  return -1;
}

const PREFIXES = new Set(["r", "b", "br"]);

/** The offset after the closing quote; the complement of that of the character at which it cannot be a string any more. */
function scanString(text: string, quoteAt: number, raw: boolean): number {
  const quote = text.charCodeAt(quoteAt);
  const triple = text.charCodeAt(quoteAt + 1) === quote && text.charCodeAt(quoteAt + 2) === quote;
  let at = quoteAt + (triple ? 3 : 1);
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH && !raw) {
      ESCAPE.lastIndex = at;
      const [found = "", rest] = ESCAPE.exec(text) ?? [];
      at += found.length;
      if (rest === undefined) return ~at;
    } else if (code === quote && !triple) {
      return at + 1;
    } else if (code === quote && text.charCodeAt(at + 1) === quote && text.charCodeAt(at + 2) === quote) {
      return at + 3;
    } else if (!triple && (code === 10 || code === 13)) {
      return ~at;
    } else {
      at++;
    }
  }
  return ~text.length;
}

/** As much of an escape as is one; the group is there when it is whole. */
const ESCAPE =
  /\\(?:([abfnrtv"'`\\?]|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-3][0-7]{2})|[xX][\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7}|[0-3][0-7]?)?/y;
const BACKSLASH = 92;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isIdentStart(code: number): boolean {
  return CLASSES[code] === LETTER;
}

function isIdentPart(code: number): boolean {
  return code < CLASSES.length && CLASSES[code] !== OTHER;
}

const OTHER = 0;
const DIGIT = 1;
const LETTER = 2;

/** What the units of ASCII are in a name. */
const CLASSES: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[A-Za-z_]/.test(char)) return LETTER;
  return /[0-9]/.test(char) ? DIGIT : OTHER;
});
