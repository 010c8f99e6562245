// User text made safe to show: it cannot move the cursor, change colours, turn around what stands beside it or end a line that
// it stands in.

/** With line separators, and the marks that say in which direction text runs. */
const CONTROL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** On one line. */
export function visibleText(text: string): string {
  return text.replaceAll("\x1b", "^[").replaceAll(CONTROL, " ");
}

/** With its lines and tabs; other control characters as `cat -v` shows them, and those above as JSON writes them. */
export function visibleLines(text: string): string {
  return text.replaceAll(CONTROL, (character) => {
    if (character === "\n" || character === "\t") return character;
    const code = character.charCodeAt(0);
    if (code > 0x9f) return `\\u${code.toString(16).padStart(4, "0")}`;
    if (code >= 0x80) return `M-^${String.fromCharCode(code - 0x40)}`;
    return code === 0x7f ? "^?" : `^${String.fromCharCode(code + 0x40)}`;
  });
}
