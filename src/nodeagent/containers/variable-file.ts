// Files of variables that a container writes into a volume, for containers that start later (`fileKeyRef`): a line for each,
// with nothing of a shell about it.
//
//   # says nothing, as a blank line does
//   A = one # two           A is "one # two"
//   B=one \                 B is "one two": the next line goes on with it
//     two

/** The longest name that is looked for, in bytes. */
export const MAX_VARIABLE_NAME_BYTES = 128;
export const MAX_VARIABLE_BYTES = 32 * 1024;

/** A line that cannot be read. What it holds is not told: it may be a secret. */
export class VariableFileError extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line} ${problem}`);
  }
}

/**
 * The value of the first variable of this name; undefined where there is none. Lines behind it are not looked at. Fails with
 * VariableFileError.
 */
export function variableOf(text: string, name: string): string | undefined {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  let begun: string | undefined;
  for (const [index, line] of lines.entries()) {
    const words = withoutBlanks(line.endsWith("\r") ? line.slice(0, -1) : line);
    if (words === "" || words.startsWith("#")) {
      if (begun === undefined) continue;
      throw new VariableFileError(index + 1, "says nothing, where the line before it goes on");
    }
    const goesOn = words.endsWith("\\");
    const part = goesOn ? withoutBlanks(words.slice(0, -1)) : words;
    const whole: string = begun === undefined ? part : `${begun} ${part}`;
    begun = goesOn ? whole : undefined;
    if (goesOn) continue;
    const at = whole.indexOf("=");
    const found = whole.slice(0, Math.max(at, 0)).trim();
    if (found === "") throw new VariableFileError(index + 1, "is not of the form NAME=value");
    if (found === name) return whole.slice(at + 1).trim();
  }
  if (begun !== undefined) throw new VariableFileError(lines.length, "goes on, and is the last");
  return undefined;
}

/** A pattern that is bound to the end would look at each of many blanks again and again. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t";
