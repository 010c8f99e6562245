// Strings by code point. Most strings of objects have no surrogates; those take the short way.

const SURROGATE = /[\ud800-\udfff]/;
/** Up to this length looking at every unit is quicker than starting a pattern. */
const SHORT_TEXT = 48;

/** Code points in a string. */
export function textSize(text: string): number {
  if (isPlainText(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Whether UTF-16 units and code points are the same for this text. */
export function isPlainText(text: string): boolean {
  if (text.length > SHORT_TEXT) return !SURROGATE.test(text);
  for (let index = 0; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xf800) === 0xd800) return false;
  }
  return true;
}

/** By code point, as UTF-8 bytes order: negative, 0 or positive. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (isPlainText(a) && isPlainText(b)) return a < b ? -1 : 1;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all others, though their own numbers do not. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
