// The texts of Warning headers: `299 - "text with \"quotes\""`.

/** Values as headers have them: one, several, or several in one. Those of other codes than 299 are left out. */
export function warningTexts(header: string | readonly string[] | undefined): string[] {
  if (header === undefined) return [];
  const lines = typeof header === "string" ? [header] : header;
  return lines.flatMap((line) => [...line.matchAll(WARNING)].map(([, quoted]) => quoted!.replace(/\\(.)/gs, "$1")));
}

const WARNING = /\b299 [^\s"]+ "((?:[^"\\]|\\.)*)"/gs;
