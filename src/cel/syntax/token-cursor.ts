// A place among the tokens of an expression, and what was found wrong on the way.

import type { CelIssue } from "../errors.ts";
import { MAX_REPORTED_ISSUES } from "../limits.ts";
import { T, type Tokens, tokenize } from "./lexer.ts";
import type { Source } from "./source.ts";

/** Thrown for the parser only: what follows cannot be read. */
export class Unreadable {}

export class TokenCursor {
  readonly issues: CelIssue[] = [];
  readonly #source: Source;
  readonly #tokens: Tokens;
  #at = 0;

  constructor(source: Source) {
    this.#source = source;
    const { tokens, errors } = tokenize(source.text);
    this.#tokens = tokens;
    for (const error of errors) this.report(error.offset, error.message);
  }

  kind(): number {
    return this.#tokens.kinds[this.#at] ?? T.end;
  }

  /** Of the token behind the current one. */
  nextKind(): number | undefined {
    return this.#tokens.kinds[this.#at + 1];
  }

  start(): number {
    return this.#tokens.starts[this.#at] ?? this.#source.text.length;
  }

  text(): string {
    if (this.kind() === T.end) return "<EOF>";
    return this.#source.text.slice(this.start(), this.#tokens.ends[this.#at]);
  }

  step(): void {
    this.#at++;
  }

  /** Steps over the current token and gives its place. */
  advance(): number {
    const offset = this.start();
    this.#at++;
    return offset;
  }

  expect(kind: number, name: string): void {
    if (this.kind() !== kind) this.unreadable(name);
    this.#at++;
  }

  unreadable(expected: string): never {
    this.report(this.start(), `Syntax error: mismatched input '${this.text()}' expecting ${expected}`);
    throw new Unreadable();
  }

  report(offset: number | undefined, message: string): void {
    if (this.issues.length < MAX_REPORTED_ISSUES) this.issues.push(this.#source.issue(offset, message));
  }
}
