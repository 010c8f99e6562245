// Property names as identifiers of the language: what is not an identifier is escaped, what cannot be is not accessible.
// Serves document 1, "Expression language (CEL) in API fields", escapes.

/** The identifier for a property; undefined when expressions cannot name it. */
export function escapePropertyName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!ACCESSIBLE.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (found) => ESCAPES[found] ?? found);
}

/** A name that expressions can select as it is. */
export const isIdentifier = (name: string): boolean => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !RESERVED.has(name);

/** The identifier that a word stands for which is reserved in other places: `self.namespace` means `__namespace__`. */
export function keywordField(name: string): string | undefined {
  return RESERVED.has(name) ? `__${name}__` : undefined;
}

const ACCESSIBLE = /^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/;

const ESCAPES: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

const RESERVED = new Set([
  "true",
  "false",
  "null",
  "in",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);
