// Errors of the expression language. They are returned as values: problems of a text as CelIssue, problems of an
// evaluation as CelError.

import { goQuote } from "../base/go-quote.ts";
import { Boxed } from "./boxed.ts";

type CelErrorCode =
  /** The expression failed on these values: no such key, division by zero, a function's own complaint. */
  | "failed"
  /** A function met arguments it has no version for; only dynamic expressions get this far. */
  | "noSuchOverload"
  /** This evaluation cost more than one evaluation may. */
  | "costLimit"
  /** The evaluations of this request together cost more than they may. */
  | "budget"
  /** Whoever asked does not wait any longer. */
  | "interrupted";

/** An evaluation that gave no value. Compare `code`, never the message. */
export class CelError extends Boxed {
  readonly code: CelErrorCode;
  readonly message: string;

  constructor(message: string, code: CelErrorCode = "failed") {
    super();
    this.code = code;
    this.message = message;
  }
}

/** What is wrong with the text of an expression, and where. */
export interface CelIssue {
  /** From 1; undefined when it concerns the whole text. */
  readonly line?: number;
  /** From 1, in characters. */
  readonly column?: number;
  readonly message: string;
  /** A name that was probably meant. */
  readonly suggestion?: string;
  /** Message, source line and caret, as people read it. */
  readonly text: string;
  /** The text is right, but a constant in it cannot be worked out. */
  readonly instantiation?: boolean;
}

export function noSuchOverload(): CelError {
  return NO_SUCH_OVERLOAD;
}

const NO_SUCH_OVERLOAD = new CelError("no such overload", "noSuchOverload");

/** From the beginning of the text to its end, whoever found them first. */
export function inTextOrder(issues: readonly CelIssue[]): CelIssue[] {
  return issues.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/** All issues of one expression as one text. */
export function formatIssues(issues: readonly CelIssue[]): string {
  return issues.map((issue) => issue.text).join("\n");
}

/** Why an expression cannot be used, as one sentence. */
export function compileFailure(issues: readonly CelIssue[]): string {
  const step = issues[0]?.instantiation ? "program instantiation" : "compilation";
  return `${step} failed: ${formatIssues(issues)}`;
}

/** A text as messages quote it, cut where it is longer than anybody reads. */
export function shownText(text: string): string {
  return goQuote(text.length > MAX_SHOWN_TEXT ? `${text.slice(0, MAX_SHOWN_TEXT)}...` : text);
}

const MAX_SHOWN_TEXT = 256;
