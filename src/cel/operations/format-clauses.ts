// The clauses of a format text: %s %d %f %e %b %o %x %X, with an optional precision. They are the same when a text is
// checked and when it is filled in, and so are the complaints about them.

import type { TypeKind } from "../types.ts";

export type ClauseLetter = "s" | "d" | "f" | "e" | "b" | "o" | "x" | "X";

interface ClauseVisitor {
  /** How many arguments there are. */
  readonly count: number;
  text(part: string): void;
  /** Gives what is wrong with the argument. */
  clause(letter: ClauseLetter, precision: number | undefined, index: number): FormatProblem | undefined;
}

export interface FormatProblem {
  readonly message: string;
  /** The place in the source that it is about, where that is one of the arguments. */
  readonly offset?: number;
}

/** The largest precision that a clause may ask for. */
const MAX_PRECISION = 1_000;

/** Goes through the text once; ends at the first problem, or gives how many arguments were used. */
export function visitClauses(template: string, visitor: ClauseVisitor): FormatProblem | number {
  let used = 0;
  let at = 0;
  for (;;) {
    const percent = template.indexOf("%", at);
    visitor.text(template.slice(at, percent < 0 ? undefined : percent));
    if (percent < 0) return used;
    if (template[percent + 1] === "%") {
      visitor.text("%");
      at = percent + 2;
      continue;
    }
    if (used >= visitor.count) return { message: `index ${used} out of range` };
    if (percent + 1 >= template.length) return { message: "unexpected end of string" };
    const clause = readClause(template, percent + 1);
    if ("problem" in clause) return { message: `could not parse formatting clause: ${clause.problem}` };
    const problem = visitor.clause(clause.letter, clause.precision, used);
    if (problem !== undefined) return { ...problem, message: `error during formatting: ${problem.message}` };
    used++;
    at = clause.end;
  }
}

type Clause =
  | { readonly letter: ClauseLetter; readonly precision: number | undefined; readonly end: number }
  | { readonly problem: string };

function readClause(template: string, start: number): Clause {
  let at = start;
  let precision: number | undefined;
  if (template[at] === ".") {
    const digits = /^[0-9]*/.exec(template.slice(at + 1, at + 1 + MAX_PRECISION_DIGITS))?.[0] ?? "";
    at += 1 + digits.length;
    if (at >= template.length) return badPrecision("could not find end of precision specifier");
    precision = Number(digits);
    if (digits === "") {
      return badPrecision('error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax');
    }
    if (precision > MAX_PRECISION) return badPrecision(`precision ${precision} exceeds maximum of ${MAX_PRECISION}`);
  }
  const letter = template.charAt(at);
  if (!isClauseLetter(letter)) return { problem: `unrecognized formatting clause "${letter}"` };
  return { letter, precision, end: at + 1 };
}

/** More digits are no precision that anybody means. */
const MAX_PRECISION_DIGITS = 16;

function badPrecision(problem: string): Clause {
  return { problem: `error while parsing precision: ${problem}` };
}

function isClauseLetter(letter: string): letter is ClauseLetter {
  return Object.hasOwn(CLAUSES, letter);
}

/** What a clause takes, and what is said about anything else. */
const CLAUSES: Readonly<Record<ClauseLetter, { readonly takes: readonly TypeKind[]; readonly complaint: string }>> = {
  s: {
    takes: "string bool bytes int uint double map list type duration timestamp null".split(" ") as TypeKind[],
    complaint:
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  },
  d: { takes: ["int", "uint"], complaint: "decimal clause can only be used on integers" },
  // As texts: NaN, Infinity and -Infinity.
  f: { takes: ["double", "string"], complaint: "fixed-point clause can only be used on doubles" },
  e: { takes: ["double", "string"], complaint: "scientific clause can only be used on doubles" },
  b: { takes: ["int", "uint", "bool"], complaint: "only integers and bools can be formatted as binary" },
  o: { takes: ["int", "uint"], complaint: "octal clause can only be used on integers" },
  x: {
    takes: ["int", "uint", "string", "bytes"],
    complaint: "only integers, byte buffers, and strings can be formatted as hex",
  },
  X: {
    takes: ["int", "uint", "string", "bytes"],
    complaint: "only integers, byte buffers, and strings can be formatted as hex",
  },
};

export function clauseTakes(letter: ClauseLetter, kind: TypeKind): boolean {
  return CLAUSES[letter].takes.includes(kind);
}

export function clauseComplaint(letter: ClauseLetter, typeName: string): string {
  return `${CLAUSES[letter].complaint}, was given ${typeName}`;
}
