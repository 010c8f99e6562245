// The words by which texts say yes or no, as upstream reads them: in flags and settings, and in queries.

const YES: ReadonlySet<string> = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const NO: ReadonlySet<string> = new Set(["0", "f", "F", "false", "FALSE", "False"]);

/** In flags, settings, annotations and expressions; undefined for words that are neither. */
export function parseBool(text: string): boolean | undefined {
  if (YES.has(text)) return true;
  return NO.has(text) ? false : undefined;
}

/** In a query, where every value that does not say no is yes, an empty one too. */
export function isYesInQuery(value: string): boolean {
  return value.toLowerCase() !== "false" && value !== "0";
}
