// Text in double quotes, escaped as upstream's messages escape it.

export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text) quoted += escapeCharacter(character);
  return `${quoted}"`;
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** Letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(character: string): boolean {
  // Here, and not above: to put these sets together takes milliseconds, which no start waits for.
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
}

const SHORT_ESCAPES = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

function escapeCharacter(character: string): string {
  const short = SHORT_ESCAPES.get(character);
  if (short !== undefined) return short;
  if (isPrintable(character)) return character;
  const code = character.codePointAt(0)!;
  // Half a surrogate pair cannot be written in UTF-8.
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
