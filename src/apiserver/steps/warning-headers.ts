// Warnings -> Warning header lines: quoted, each once, bounded. Requirements: document 1, "Request and response headers".

/** All texts together; beyond it each text is cut. */
const MAX_TOTAL_LENGTH = 4096;
const CUT_LENGTH = 256;

export function warningHeaders(warnings: readonly string[]): string[] {
  const texts = new Set<string>();
  let total = 0;
  let totalCut = 0;
  for (const warning of warnings) {
    // Nothing beyond is shown, however much there is.
    if (totalCut > MAX_TOTAL_LENGTH) break;
    const text = clean(warning);
    if (text === "" || texts.has(text)) continue;
    texts.add(text);
    const length = lengthOf(text);
    total += length;
    totalCut += Math.min(length, CUT_LENGTH);
  }
  const lines: string[] = [];
  let used = 0;
  for (const text of texts) {
    const shown = total > MAX_TOTAL_LENGTH ? firstOf(text) : text;
    used += lengthOf(shown);
    if (used > MAX_TOTAL_LENGTH) break;
    lines.push(`299 - "${shown.replace(/[\\"]/g, "\\$&")}"`);
  }
  return lines;
}

/** In code points; of a long text more than all may have. */
function lengthOf(text: string): number {
  return [...text.slice(0, 2 * MAX_TOTAL_LENGTH + 2)].length;
}

function firstOf(text: string): string {
  return [...text.slice(0, 2 * CUT_LENGTH)].slice(0, CUT_LENGTH).join("");
}

/** A header value holds no control characters. */
function clean(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, " ");
}
