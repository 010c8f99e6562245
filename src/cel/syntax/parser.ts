// Tokens to tree, by recursive descent with named limits: no text of any length or nesting brings the process down.
// Collects every mistake that leaves the rest readable; a mistake of the structure ends the reading.

import type { CelIssue } from "../errors.ts";
import { MAX_EXPRESSION_CODE_POINTS, MAX_NESTING, MAX_REPORTED_ISSUES, MAX_TREE_HEIGHT } from "../limits.ts";
import { CelDouble } from "../values.ts";
import { type Call, type Expr, type MapEntry, Op, type ParsedExpr, qualifiedName, type StructField } from "./ast.ts";
import { BINARY, findMacro, type MacroTable, PRIMARY_START, RESERVED } from "./grammar.ts";
import { T, type Tokens, tokenize } from "./lexer.ts";
import { readBytes, readInt, readString, readUint } from "./literals.ts";
import { MacroError } from "./macros.ts";
import { codePoints, Source } from "./source.ts";
import { TreeBuilder, TreeTooHigh } from "./tree-builder.ts";

interface ParseOptions {
  readonly macros: MacroTable;
  /** `a.?b`, `a[?k]`, `[?e]`, `{?k: v}`. */
  readonly optionalSyntax: boolean;
  /** Field names in back quotes. */
  readonly escapedIdentifiers: boolean;
}

type ParseResult = { readonly parsed: ParsedExpr } | { readonly issues: readonly CelIssue[] };

export function parse(text: string, options: ParseOptions): ParseResult {
  const source = new Source(text);
  // A code point has at most two UTF-16 units, so short texts need no count.
  if (text.length > MAX_EXPRESSION_CODE_POINTS) {
    const size = text.length > 4 * MAX_EXPRESSION_CODE_POINTS ? text.length : codePoints(text);
    if (size > MAX_EXPRESSION_CODE_POINTS) {
      const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_EXPRESSION_CODE_POINTS}`;
      return { issues: [source.issue(undefined, message)] };
    }
  }
  return new Parser(source, options).run();
}

const NO_CALLS: ReadonlyMap<number, Call> = new Map();

/** Words that are tokens of their own. */
const WORDS: ReadonlySet<number> = new Set([T.true, T.false, T.null, T.in]);

/** Thrown inside the parser only: what follows cannot be read. */
class Unreadable {}

class Parser {
  readonly #source: Source;
  readonly #options: ParseOptions;
  readonly #tokens: Tokens;
  readonly #issues: CelIssue[] = [];
  readonly #build = new TreeBuilder();
  #macroCalls: Map<number, Call> | undefined;
  #at = 0;
  #nesting = 0;

  constructor(source: Source, options: ParseOptions) {
    this.#source = source;
    this.#options = options;
    const { tokens, errors } = tokenize(source.text);
    this.#tokens = tokens;
    for (const error of errors) this.#report(error.offset, error.message);
  }

  run(): ParseResult {
    try {
      const expr = this.#expression();
      if (this.#kind() !== T.end) {
        // One token too many, or something else altogether.
        const offset = this.#start();
        const text = this.#text();
        this.#at++;
        const word = this.#kind() === T.end ? "extraneous" : "mismatched";
        this.#report(offset, `Syntax error: ${word} input '${text}' expecting <EOF>`);
      }
      if (this.#issues.length > 0) return { issues: this.#issues };
      return { parsed: { expr, idCount: this.#build.idCount, macroCalls: this.#macroCalls ?? NO_CALLS } };
    } catch (thrown) {
      if (thrown instanceof TreeTooHigh) {
        this.#report(undefined, `expression recursion limit exceeded: ${MAX_TREE_HEIGHT}`);
      } else if (!(thrown instanceof Unreadable)) {
        throw thrown;
      }
      return { issues: this.#issues };
    }
  }

  #expression(): Expr {
    if (++this.#nesting > MAX_NESTING) {
      this.#report(undefined, `expression recursion limit exceeded: ${MAX_NESTING}`);
      throw new Unreadable();
    }
    const condition = this.#disjunction();
    if (this.#kind() !== T.question) {
      this.#nesting--;
      return condition;
    }
    const offset = this.#advance();
    const whenTrue = this.#disjunction();
    this.#expect(T.colon, "':'");
    const whenFalse = this.#expression();
    this.#nesting--;
    return this.#build.call(offset, Op.conditional, undefined, [condition, whenTrue, whenFalse]);
  }

  #disjunction(): Expr {
    const first = this.#conjunction();
    if (this.#kind() !== T.or) return first;
    const terms = [first];
    const offsets: number[] = [];
    while (this.#kind() === T.or) {
      offsets.push(this.#advance());
      terms.push(this.#conjunction());
    }
    return this.#chain(Op.or, terms, offsets);
  }

  #conjunction(): Expr {
    const first = this.#binary(1);
    if (this.#kind() !== T.and) return first;
    const terms = [first];
    const offsets: number[] = [];
    while (this.#kind() === T.and) {
      offsets.push(this.#advance());
      terms.push(this.#binary(1));
    }
    return this.#chain(Op.and, terms, offsets);
  }

  /** Chains of `&&` and of `||` become balanced trees: their order of evaluation is the same, their height is not. */
  #chain(fn: string, terms: readonly Expr[], offsets: readonly number[]): Expr {
    const balance = (low: number, high: number): Expr => {
      const middle = (low + high + 1) >> 1;
      const left = middle === low ? (terms[middle] as Expr) : balance(low, middle - 1);
      const right = middle === high ? (terms[middle + 1] as Expr) : balance(middle + 1, high);
      return this.#build.call(offsets[middle] ?? 0, fn, undefined, [left, right]);
    };
    return balance(0, offsets.length - 1);
  }

  #binary(minimum: number): Expr {
    let left = this.#unary();
    for (;;) {
      const operator = BINARY[this.#kind()];
      if (operator === undefined || operator.precedence < minimum) return left;
      const offset = this.#advance();
      const right = this.#binary(operator.precedence + 1);
      left = this.#build.call(offset, operator.fn, undefined, [left, right]);
    }
  }

  #unary(): Expr {
    const kind = this.#kind();
    if ((kind !== T.bang && kind !== T.minus) || this.#isNegativeNumber()) return this.#signedMember();
    const offset = this.#start();
    let count = 0;
    while (this.#kind() === kind) {
      this.#at++;
      count++;
    }
    const operand = this.#signedMember();
    if (count % 2 === 0) return operand;
    return this.#build.call(offset, kind === T.bang ? Op.not : Op.negate, undefined, [operand]);
  }

  /** A sign right before a number belongs to the literal. */
  #signedMember(): Expr {
    if (!this.#isNegativeNumber()) return this.#member(false);
    this.#at++;
    return this.#member(true);
  }

  #isNegativeNumber(): boolean {
    const next = this.#tokens.kinds[this.#at + 1];
    return this.#kind() === T.minus && (next === T.int || next === T.double);
  }

  #member(negative: boolean): Expr {
    const parenthesized = this.#kind() === T.leftParen;
    let expr = this.#primary(negative);
    for (;;) {
      switch (this.#kind()) {
        case T.dot:
          expr = this.#selection(expr);
          break;
        case T.leftBracket:
          expr = this.#index(expr);
          break;
        case T.leftBrace: {
          const name = parenthesized ? undefined : qualifiedName(expr);
          if (name === undefined || this.#macroCalls?.has(expr.id)) return expr;
          expr = this.#struct(name);
          break;
        }
        default:
          return expr;
      }
    }
  }

  #selection(operand: Expr): Expr {
    const offset = this.#advance();
    const optional = this.#kind() === T.question;
    if (optional) {
      if (!this.#options.optionalSyntax) this.#report(offset, "unsupported syntax '.?'");
      this.#at++;
    }
    const fieldOffset = this.#start();
    const escaped = this.#kind() === T.escapedIdent;
    if (!optional && !escaped && this.#kind() !== T.ident && !WORDS.has(this.#kind())) {
      const text = this.#kind() === T.end ? "" : this.#text();
      this.#report(fieldOffset, `Syntax error: no viable alternative at input '.${text}'`);
      throw new Unreadable();
    }
    const field = this.#fieldName();
    // Only fields may be escaped, functions may not.
    if (escaped && this.#kind() === T.leftParen) return this.#unreadable("<EOF>");
    if (optional) {
      const name = this.#build.literal(fieldOffset, field);
      return this.#build.call(offset, Op.optSelect, undefined, [operand, name]);
    }
    if (this.#kind() !== T.leftParen) return this.#build.select(offset, operand, field);
    const open = this.#start();
    return this.#callOrMacro(open, field, operand, this.#arguments());
  }

  #fieldName(): string {
    const kind = this.#kind();
    const text = this.#text();
    if (kind === T.escapedIdent) {
      if (!this.#options.escapedIdentifiers) this.#report(this.#start(), "unsupported syntax: '`'");
      this.#at++;
      return text.slice(1, -1);
    }
    if (kind !== T.ident) return this.#unreadable("IDENTIFIER");
    this.#at++;
    return text;
  }

  #index(operand: Expr): Expr {
    const offset = this.#advance();
    const optional = this.#kind() === T.question;
    if (optional) {
      if (!this.#options.optionalSyntax) this.#report(offset, "unsupported syntax '[?'");
      this.#at++;
    }
    const index = this.#expression();
    this.#expect(T.rightBracket, "']'");
    return this.#build.call(offset, optional ? Op.optIndex : Op.index, undefined, [operand, index]);
  }

  #primary(negative: boolean): Expr {
    const offset = negative ? this.#start() - 1 : this.#start();
    const text = this.#text();
    switch (this.#kind()) {
      case T.int: {
        this.#at++;
        const value = readInt(text, negative);
        if (value === undefined) this.#report(offset, "invalid int literal");
        return this.#build.literal(offset, value ?? 0);
      }
      case T.double: {
        this.#at++;
        const value = negative ? -Number(text) : Number(text);
        if (!Number.isFinite(value)) this.#report(offset, "invalid double literal");
        return this.#build.literal(offset, new CelDouble(value));
      }
      case T.uint: {
        this.#at++;
        const value = readUint(text);
        if (value === undefined) this.#report(offset, "invalid uint literal");
        return this.#build.literal(offset, value ?? 0);
      }
      case T.string: {
        this.#at++;
        const value = readString(text);
        if (value === undefined) this.#report(offset, "unable to unescape string");
        return this.#build.literal(offset, value ?? "");
      }
      case T.bytes: {
        this.#at++;
        const value = readBytes(text);
        if (value === undefined) this.#report(offset, "unable to unescape string");
        return this.#build.literal(offset, value ?? "");
      }
      case T.true:
      case T.false:
        this.#at++;
        return this.#build.literal(offset, text === "true");
      case T.null:
        this.#at++;
        return this.#build.literal(offset, null);
      case T.leftParen: {
        this.#at++;
        const expr = this.#expression();
        this.#expect(T.rightParen, "')'");
        return expr;
      }
      case T.leftBracket:
        return this.#list();
      case T.leftBrace:
        return this.#map();
      case T.dot:
      case T.ident:
        return this.#identOrCall();
      default:
        return this.#unreadable(PRIMARY_START);
    }
  }

  #identOrCall(): Expr {
    const offset = this.#start();
    const dot = this.#kind() === T.dot ? "." : "";
    if (dot !== "") this.#at++;
    if (this.#kind() !== T.ident) return this.#unreadable("IDENTIFIER");
    const name = this.#text();
    this.#at++;
    if (RESERVED.has(name)) this.#report(offset, `reserved identifier: ${name}`);
    if (this.#kind() !== T.leftParen) return this.#build.ident(offset, dot + name);
    const open = this.#start();
    return this.#callOrMacro(open, dot + name, undefined, this.#arguments());
  }

  #callOrMacro(offset: number, fn: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const { macros } = this.#options;
    const member = target !== undefined;
    const macro = findMacro(macros, fn, member, args.length);
    const call = this.#build.call(offset, fn, target, args);
    if (macro === undefined) return call;
    const expanded = macro.expand(this.#build.forMacro(offset), target, args);
    if (expanded === undefined) return call;
    if (expanded instanceof MacroError) {
      this.#report(expanded.offset, expanded.message);
      return call;
    }
    this.#macroCalls ??= new Map();
    this.#macroCalls.set(expanded.id, call);
    return expanded;
  }

  #arguments(): Expr[] {
    this.#at++;
    const args: Expr[] = [];
    if (this.#kind() !== T.rightParen) {
      args.push(this.#expression());
      while (this.#kind() === T.comma) {
        this.#at++;
        args.push(this.#expression());
      }
    }
    this.#expect(T.rightParen, "')'");
    return args;
  }

  #list(): Expr {
    const offset = this.#advance();
    const elements: Expr[] = [];
    const optionals: number[] = [];
    while (this.#kind() !== T.rightBracket) {
      if (this.#optionalMark()) optionals.push(elements.length);
      elements.push(this.#expression());
      if (this.#kind() !== T.comma) break;
      this.#at++;
    }
    this.#expect(T.rightBracket, "']'");
    return this.#build.list(offset, elements, optionals);
  }

  #map(): Expr {
    const offset = this.#advance();
    const entries: MapEntry[] = [];
    while (this.#kind() !== T.rightBrace) {
      const optional = this.#optionalMark();
      const key = this.#expression();
      this.#expect(T.colon, "':'");
      const value = this.#expression();
      entries.push({ id: this.#build.nextId(), key, value, optional });
      if (this.#kind() !== T.comma) break;
      this.#at++;
    }
    this.#expect(T.rightBrace, "'}'");
    return this.#build.map(offset, entries);
  }

  #struct(typeName: string): Expr {
    const offset = this.#advance();
    const fields: StructField[] = [];
    while (this.#kind() !== T.rightBrace) {
      const optional = this.#optionalMark();
      const fieldOffset = this.#start();
      const name = this.#fieldName();
      const colonOffset = this.#start();
      this.#expect(T.colon, "':'");
      const value = this.#expression();
      fields.push({ id: this.#build.nextId(), offset: colonOffset || fieldOffset, name, value, optional });
      if (this.#kind() !== T.comma) break;
      this.#at++;
    }
    this.#expect(T.rightBrace, "'}'");
    return this.#build.struct(offset, typeName, fields);
  }

  #optionalMark(): boolean {
    if (this.#kind() !== T.question) return false;
    if (!this.#options.optionalSyntax) this.#report(this.#start(), "unsupported syntax '?'");
    this.#at++;
    return true;
  }

  #kind(): number {
    return this.#tokens.kinds[this.#at] ?? T.end;
  }

  #start(): number {
    return this.#tokens.starts[this.#at] ?? this.#source.text.length;
  }

  #text(): string {
    if (this.#kind() === T.end) return "<EOF>";
    return this.#source.text.slice(this.#start(), this.#tokens.ends[this.#at]);
  }

  /** Steps over the current token and gives its place. */
  #advance(): number {
    const offset = this.#start();
    this.#at++;
    return offset;
  }

  #expect(kind: number, name: string): void {
    if (this.#kind() !== kind) this.#unreadable(name);
    this.#at++;
  }

  #unreadable(expected: string): never {
    this.#report(this.#start(), `Syntax error: mismatched input '${this.#text()}' expecting ${expected}`);
    throw new Unreadable();
  }

  #report(offset: number | undefined, message: string): void {
    if (this.#issues.length < MAX_REPORTED_ISSUES) this.#issues.push(this.#source.issue(offset, message));
  }
}
