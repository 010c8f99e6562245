// User text made safe to show: it cannot move the cursor, change colours or end a line that it stands in.

const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

/** On one line. */
export function visibleText(text: string): string {
  return text.replaceAll("\x1b", "^[").replaceAll(CONTROL, " ");
}

/** With its lines and tabs; other control characters as `cat -v` shows them. */
export function visibleLines(text: string): string {
  return text.replaceAll(CONTROL, (character) => {
    if (character === "\n" || character === "\t") return character;
    const code = character.charCodeAt(0);
    if (code >= 0x80) return `M-^${String.fromCharCode(code - 0x40)}`;
    return code === 0x7f ? "^?" : `^${String.fromCharCode(code + 0x40)}`;
  });
}
