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
  #opened = 0;

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
    if (this.kind() !== kind && !this.skipSurplus(this.nextKind() === kind, name)) this.unreadable(name);
    this.#at++;
  }

  /** Something begins that `close` ends. */
  open(): void {
    this.#opened++;
  }

  /** Where the text ends instead and nothing else is open, the mark is told to be missing, unless others could stand for it. */
  close(kind: number, name: string, mayMiss = true): void {
    this.#opened--;
    const isMissing = mayMiss && this.kind() === T.end && this.#opened === 0;
    if (isMissing) this.report(this.start(), `Syntax error: missing ${name} at '<EOF>'`);
    else this.expect(kind, name);
  }

  /** One token too many is told and passed over; whether it was. */
  skipSurplus(isSurplus: boolean, expected: string): boolean {
    if (!isSurplus || this.kind() === T.end) return false;
    this.report(this.start(), `Syntax error: extraneous input '${this.text()}' expecting ${expected}`);
    this.#at++;
    return true;
  }

  unreadable(expected: string): never {
    this.report(this.start(), `Syntax error: mismatched input '${this.text()}' expecting ${expected}`);
    throw new Unreadable();
  }

  /** Behind a dot. */
  noAlternative(): never {
    const text = this.kind() === T.end ? "" : this.text();
    this.report(this.start(), `Syntax error: no viable alternative at input '.${text}'`);
    throw new Unreadable();
  }

  report(offset: number | undefined, message: string): void {
    if (this.issues.length < MAX_REPORTED_ISSUES) this.issues.push(this.#source.issue(offset, message));
  }
}
