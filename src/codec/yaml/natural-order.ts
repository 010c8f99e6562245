// The order of keys in YAML text: letters after everything else, numbers inside keys by their value.

export function compareNaturally(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    if (left[index] === right[index]) continue;
    return compareAt(left, right, index);
  }
  return left.length - right.length;
}

/** The order of two texts that first differ at `index`. */
function compareAt(left: readonly string[], right: readonly string[], index: number): number {
  const a = left[index]!;
  const b = right[index]!;
  const aLetter = LETTER.test(a);
  const bLetter = LETTER.test(b);
  if (aLetter && bLetter) return order(a, b);
  if (aLetter || bLetter) return bLetter ? -1 : 1;
  // A zero that continues a number counts: it does not lead one.
  const lead = (a === "0" || b === "0") && continuesNumber(left, index) ? "1" : "";
  const aDigits = digitsFrom(left, index);
  const bDigits = digitsFrom(right, index);
  const byValue = compareNumbers(lead + aDigits, lead + bDigits);
  if (byValue !== 0) return byValue;
  if (aDigits.length !== bDigits.length) return aDigits.length - bDigits.length;
  return order(a, b);
}

/** By value, whatever their length. */
function compareNumbers(a: string, b: string): number {
  const left = a.replace(/^0+/, "");
  const right = b.replace(/^0+/, "");
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

const LETTER = /^\p{L}$/u;

function continuesNumber(characters: readonly string[], index: number): boolean {
  for (let at = index - 1; at >= 0 && isDigit(characters[at]!); at--) {
    if (characters[at] !== "0") return true;
  }
  return false;
}

function digitsFrom(characters: readonly string[], index: number): string {
  let digits = "";
  for (let at = index; at < characters.length && isDigit(characters[at]!); at++) digits += characters[at];
  return digits;
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9" && character.length === 1;
}

function order(a: string, b: string): number {
  return a.codePointAt(0)! - b.codePointAt(0)!;
}
