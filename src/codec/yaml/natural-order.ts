// The order of keys in YAML text: letters after everything else, numbers inside keys by their value.

export function compareNaturally(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    if (a.charCodeAt(index) === b.charCodeAt(index)) continue;
    // The second halves of two characters differ: the characters do.
    return compareAt(a, b, index > 0 && isFirstHalf(a.charCodeAt(index - 1)) ? index - 1 : index);
  }
  return a.length - b.length;
}

/** The order of two texts that first differ at `index`. */
function compareAt(left: string, right: string, index: number): number {
  const a = left.codePointAt(index)!;
  const b = right.codePointAt(index)!;
  const aLetter = isLetter(a);
  const bLetter = isLetter(b);
  if (aLetter && bLetter) return a - b;
  if (aLetter || bLetter) return bLetter ? -1 : 1;
  // A zero that continues a number counts: it does not lead one.
  const lead = (a === ZERO || b === ZERO) && continuesNumber(left, index) ? "1" : "";
  const aDigits = digitsFrom(left, index);
  const bDigits = digitsFrom(right, index);
  const byValue = compareNumbers(lead + aDigits, lead + bDigits);
  if (byValue !== 0) return byValue;
  if (aDigits.length !== bDigits.length) return aDigits.length - bDigits.length;
  return a - b;
}

/** By value, whatever their length. */
function compareNumbers(a: string, b: string): number {
  const left = a.replace(/^0+/, "");
  const right = b.replace(/^0+/, "");
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

const LETTER = /^\p{L}$/u;
const ZERO = 0x30;

/** Of ASCII without the price of an expression. */
function isLetter(code: number): boolean {
  if (code < 0x80) return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return LETTER.test(String.fromCodePoint(code));
}

function continuesNumber(text: string, index: number): boolean {
  for (let at = index - 1; at >= 0 && isDigit(text.charCodeAt(at)); at--) {
    if (text.charCodeAt(at) !== ZERO) return true;
  }
  return false;
}

function digitsFrom(text: string, index: number): string {
  let end = index;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  return text.slice(index, end);
}

const isDigit = (code: number): boolean => code >= ZERO && code <= 0x39;
const isFirstHalf = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
