// References to variables in texts of a container: `$(NAME)` stands for the variable, `$$(NAME)` for itself.

/**
 * Replaces every reference to a variable that is known. An unknown one stays as it is written, and so does everything
 * that only looks like a reference. One pass: what a variable holds is not looked at again.
 */
export function expandVariables(text: string, lookup: (name: string) => string | undefined): string {
  let expanded = "";
  let copied = 0;
  const lastEnd = text.lastIndexOf(")");
  for (let at = text.indexOf("$"); at >= 0; at = text.indexOf("$", at)) {
    const next = text[at + 1];
    if (next === "$") {
      expanded += text.slice(copied, at + 1);
      at += 2;
      copied = at;
      continue;
    }
    if (next !== "(" || lastEnd < at + 2) {
      at += 1;
      continue;
    }
    const end = text.indexOf(")", at + 2);
    const value = lookup(text.slice(at + 2, end));
    if (value !== undefined) {
      expanded += text.slice(copied, at) + value;
      copied = end + 1;
    }
    at = end + 1;
  }
  return expanded + text.slice(copied);
}
