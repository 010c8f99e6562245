// Tokens to tree, by recursive descent with named limits: no text of any length or nesting brings the process down.
// Collects every mistake that leaves the rest readable; a mistake of the structure ends the reading.

import { type CelIssue, inTextOrder } from "../errors.ts";
import { MAX_EXPRESSION_CODE_POINTS, MAX_NESTING } from "../limits.ts";
import { type Call, type Expr, type MapEntry, Op, type ParsedExpr, qualifiedName, type StructField } from "./ast.ts";
import { BINARY, findMacro, type MacroTable, PRIMARY_START, RESERVED } from "./grammar.ts";
import { T } from "./lexer.ts";
import { readLiteral } from "./literals.ts";
import { MacroError } from "./macros.ts";
import { codePoints, Source } from "./source.ts";
import { TokenCursor, Unreadable } from "./token-cursor.ts";
import { TreeBuilder, TreeTooLarge } from "./tree-builder.ts";

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

/** Literals that are words. */
const WORDS: ReadonlySet<number> = new Set([T.true, T.false, T.null]);

/** What an operand begins with; `PRIMARY_START` in words. */
const STARTS: ReadonlySet<number> = new Set([
  ...[T.leftBracket, T.leftBrace, T.leftParen, T.dot, T.minus, T.bang],
  ...[T.true, T.false, T.null, T.double, T.int, T.uint, T.string, T.bytes, T.ident],
]);

class Parser {
  readonly #options: ParseOptions;
  readonly #tokens: TokenCursor;
  readonly #build = new TreeBuilder();
  #macroCalls: Map<number, Call> | undefined;
  #nesting = 0;

  constructor(source: Source, options: ParseOptions) {
    this.#options = options;
    this.#tokens = new TokenCursor(source);
  }

  run(): ParseResult {
    try {
      const expr = this.#expression();
      if (this.#tokens.kind() !== T.end) {
        // One token too many, or something else altogether.
        const offset = this.#tokens.start();
        const text = this.#tokens.text();
        this.#tokens.step();
        const word = this.#tokens.kind() === T.end ? "extraneous" : "mismatched";
        this.#tokens.report(offset, `Syntax error: ${word} input '${text}' expecting <EOF>`);
      }
      if (this.#tokens.issues.length > 0) return { issues: inTextOrder(this.#tokens.issues) };
      return { parsed: { expr, idCount: this.#build.idCount, macroCalls: this.#macroCalls ?? NO_CALLS } };
    } catch (thrown) {
      if (thrown instanceof TreeTooLarge) {
        this.#tokens.report(undefined, thrown.message);
      } else if (!(thrown instanceof Unreadable)) {
        throw thrown;
      }
      return { issues: inTextOrder(this.#tokens.issues) };
    }
  }

  #expression(): Expr {
    if (++this.#nesting > MAX_NESTING) {
      this.#tokens.report(undefined, `expression recursion limit exceeded: ${MAX_NESTING}`);
      throw new Unreadable();
    }
    const condition = this.#disjunction();
    if (this.#tokens.kind() !== T.question) {
      this.#nesting--;
      return condition;
    }
    const offset = this.#tokens.advance();
    this.#tokens.open();
    const whenTrue = this.#disjunction();
    this.#tokens.close(T.colon, "':'", false);
    const whenFalse = this.#expression();
    this.#nesting--;
    return this.#build.call(offset, Op.conditional, undefined, [condition, whenTrue, whenFalse]);
  }

  #disjunction(): Expr {
    const first = this.#conjunction();
    if (this.#tokens.kind() !== T.or) return first;
    const terms = [first];
    const offsets: number[] = [];
    while (this.#tokens.kind() === T.or) {
      offsets.push(this.#tokens.advance());
      terms.push(this.#conjunction());
    }
    return this.#chain(Op.or, terms, offsets);
  }

  #conjunction(): Expr {
    const first = this.#binary(1);
    if (this.#tokens.kind() !== T.and) return first;
    const terms = [first];
    const offsets: number[] = [];
    while (this.#tokens.kind() === T.and) {
      offsets.push(this.#tokens.advance());
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
      const operator = BINARY[this.#tokens.kind()];
      if (operator === undefined || operator.precedence < minimum) return left;
      const offset = this.#tokens.advance();
      const right = this.#binary(operator.precedence + 1);
      left = this.#build.call(offset, operator.fn, undefined, [left, right]);
    }
  }

  #unary(): Expr {
    if (!STARTS.has(this.#tokens.kind())) {
      this.#tokens.skipSurplus(STARTS.has(this.#tokens.nextKind() ?? T.end), PRIMARY_START);
    }
    const kind = this.#tokens.kind();
    if ((kind !== T.bang && kind !== T.minus) || this.#isNegativeNumber()) return this.#signedMember();
    const offset = this.#tokens.start();
    let count = 0;
    while (this.#tokens.kind() === kind) {
      this.#tokens.step();
      count++;
    }
    const operand = this.#signedMember();
    if (count % 2 === 0) return operand;
    return this.#build.call(offset, kind === T.bang ? Op.not : Op.negate, undefined, [operand]);
  }

  /** A sign right before a number belongs to the literal. */
  #signedMember(): Expr {
    if (!this.#isNegativeNumber()) return this.#member(false);
    this.#tokens.step();
    return this.#member(true);
  }

  #isNegativeNumber(): boolean {
    const next = this.#tokens.nextKind();
    return this.#tokens.kind() === T.minus && (next === T.int || next === T.double);
  }

  #member(negative: boolean): Expr {
    const parenthesized = this.#tokens.kind() === T.leftParen;
    let expr = this.#primary(negative);
    for (;;) {
      switch (this.#tokens.kind()) {
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
    const offset = this.#tokens.advance();
    const optional = this.#tokens.kind() === T.question;
    if (optional) {
      if (!this.#options.optionalSyntax) this.#tokens.report(offset, "unsupported syntax '.?'");
      this.#tokens.step();
    }
    const fieldOffset = this.#tokens.start();
    const escaped = this.#tokens.kind() === T.escapedIdent;
    if (!optional && !escaped && this.#tokens.kind() !== T.ident && !WORDS.has(this.#tokens.kind())) {
      return this.#tokens.noAlternative();
    }
    const field = this.#fieldName();
    // Only fields may be escaped, functions may not.
    if (escaped && this.#tokens.kind() === T.leftParen) return this.#tokens.unreadable("<EOF>");
    if (optional) {
      const name = this.#build.literal(fieldOffset, field);
      return this.#build.call(offset, Op.optSelect, undefined, [operand, name]);
    }
    if (this.#tokens.kind() !== T.leftParen) return this.#build.select(offset, operand, field);
    const open = this.#tokens.start();
    return this.#callOrMacro(open, field, operand, this.#arguments());
  }

  #fieldName(): string {
    const kind = this.#tokens.kind();
    const text = this.#tokens.text();
    if (kind === T.escapedIdent) {
      if (!this.#options.escapedIdentifiers) this.#tokens.report(this.#tokens.start(), "unsupported syntax: '`'");
      this.#tokens.step();
      return text.slice(1, -1);
    }
    if (kind !== T.ident) return this.#tokens.unreadable("IDENTIFIER");
    this.#tokens.step();
    return text;
  }

  #index(operand: Expr): Expr {
    const offset = this.#tokens.advance();
    const optional = this.#tokens.kind() === T.question;
    if (optional) {
      if (!this.#options.optionalSyntax) this.#tokens.report(offset, "unsupported syntax '[?'");
      this.#tokens.step();
    }
    this.#tokens.open();
    const index = this.#expression();
    this.#tokens.close(T.rightBracket, "']'");
    return this.#build.call(offset, optional ? Op.optIndex : Op.index, undefined, [operand, index]);
  }

  #primary(negative: boolean): Expr {
    const offset = negative ? this.#tokens.start() - 1 : this.#tokens.start();
    const literal = readLiteral(this.#tokens.kind(), this.#tokens.text(), negative);
    if (literal !== undefined) {
      this.#tokens.step();
      if (literal.problem !== undefined) this.#tokens.report(offset, literal.problem);
      return this.#build.literal(offset, literal.value);
    }
    switch (this.#tokens.kind()) {
      case T.leftParen: {
        this.#tokens.step();
        this.#tokens.open();
        const expr = this.#expression();
        this.#tokens.close(T.rightParen, "')'");
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
        return this.#tokens.unreadable(PRIMARY_START);
    }
  }

  #identOrCall(): Expr {
    const dot = this.#tokens.kind() === T.dot ? "." : "";
    if (dot !== "") this.#tokens.step();
    const offset = this.#tokens.start();
    if (this.#tokens.kind() !== T.ident) return this.#tokens.noAlternative();
    const name = this.#tokens.text();
    this.#tokens.step();
    if (RESERVED.has(name)) this.#tokens.report(offset, `reserved identifier: ${name}`);
    if (this.#tokens.kind() !== T.leftParen) return this.#build.ident(offset, dot + name);
    const open = this.#tokens.start();
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
      this.#tokens.report(expanded.offset, expanded.message);
      return call;
    }
    this.#macroCalls ??= new Map();
    this.#macroCalls.set(expanded.id, call);
    return expanded;
  }

  #arguments(): Expr[] {
    this.#tokens.step();
    this.#tokens.open();
    const args: Expr[] = [];
    if (this.#tokens.kind() !== T.rightParen) {
      args.push(this.#expression());
      while (this.#tokens.kind() === T.comma) {
        this.#tokens.step();
        args.push(this.#expression());
      }
    }
    this.#tokens.close(T.rightParen, "')'");
    return args;
  }

  #list(): Expr {
    const offset = this.#tokens.advance();
    this.#tokens.open();
    const elements: Expr[] = [];
    const optionals: number[] = [];
    while (this.#hasMore(T.rightBracket, elements)) {
      if (this.#optionalMark()) optionals.push(elements.length);
      elements.push(this.#expression());
      if (this.#tokens.kind() !== T.comma) break;
      this.#tokens.step();
    }
    this.#tokens.close(T.rightBracket, "{']', ','}", false);
    return this.#build.list(offset, elements, optionals);
  }

  #map(): Expr {
    const offset = this.#tokens.advance();
    this.#tokens.open();
    const entries: MapEntry[] = [];
    while (this.#hasMore(T.rightBrace, entries)) {
      const optional = this.#optionalMark();
      const key = this.#expression();
      this.#tokens.expect(T.colon, "':'");
      const value = this.#expression();
      entries.push({ id: this.#build.nextId(), key, value, optional });
      if (this.#tokens.kind() !== T.comma) break;
      this.#tokens.step();
    }
    this.#tokens.close(T.rightBrace, "{'}', ','}", false);
    return this.#build.map(offset, entries);
  }

  #struct(typeName: string): Expr {
    const offset = this.#tokens.advance();
    this.#tokens.open();
    const fields: StructField[] = [];
    while (this.#hasMore(T.rightBrace, fields)) {
      const optional = this.#optionalMark();
      const fieldOffset = this.#tokens.start();
      const name = this.#fieldName();
      const colonOffset = this.#tokens.start();
      this.#tokens.expect(T.colon, "':'");
      const value = this.#expression();
      fields.push({ id: this.#build.nextId(), offset: colonOffset || fieldOffset, name, value, optional });
      if (this.#tokens.kind() !== T.comma) break;
      this.#tokens.step();
    }
    this.#tokens.close(T.rightBrace, "{'}', ','}", false);
    return this.#build.struct(offset, typeName, fields);
  }

  /** A comma may stand behind the last one, and where there is none: `[,]`. */
  #hasMore(end: number, before: readonly unknown[]): boolean {
    if (before.length === 0 && this.#tokens.kind() === T.comma) {
      this.#tokens.step();
      return false;
    }
    return this.#tokens.kind() !== end;
  }

  #optionalMark(): boolean {
    if (this.#tokens.kind() !== T.question) return false;
    if (!this.#options.optionalSyntax) this.#tokens.report(this.#tokens.start(), "unsupported syntax '?'");
    this.#tokens.step();
    return true;
  }
}
