// Warnings -> Warning header lines: quoted, each once, bounded. Requirements: document 1, "Request and response headers".

/** All texts together; beyond it each text is cut. */
const MAX_TOTAL_LENGTH = 4096;
const CUT_LENGTH = 256;

export function warningHeaders(warnings: readonly string[]): string[] {
  const texts = [...new Set(warnings.map(clean))];
  const total = texts.reduce((sum, text) => sum + [...text].length, 0);
  const bounded = total > MAX_TOTAL_LENGTH ? texts.map((text) => [...text].slice(0, CUT_LENGTH).join("")) : texts;
  const lines: string[] = [];
  let used = 0;
  for (const text of bounded) {
    used += [...text].length;
    if (used > MAX_TOTAL_LENGTH) break;
    lines.push(`299 - "${text.replace(/[\\"]/g, "\\$&")}"`);
  }
  return lines;
}

/** A header value holds no control characters. */
function clean(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, " ");
}
