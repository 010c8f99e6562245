// Macros: calls that the parser replaces by other trees. The standard ones are here; libraries bring more.

import { ACCUMULATOR, type Expr, Op } from "./ast.ts";

/** What a macro builds its tree with; every node gets a fresh id at the place of the macro's call. */
export interface MacroBuilder {
  literal(value: boolean | number): Expr;
  ident(name: string): Expr;
  call(fn: string, ...args: Expr[]): Expr;
  memberCall(target: Expr, fn: string, ...args: Expr[]): Expr;
  list(...elements: Expr[]): Expr;
  emptyMap(): Expr;
  select(operand: Expr, field: string): Expr;
  testOnly(operand: Expr, field: string): Expr;
  comprehension(parts: ComprehensionParts): Expr;
  /** A copy with fresh ids, for a tree that stands in two places. */
  copy(expr: Expr): Expr;
}

export interface ComprehensionParts {
  range: Expr;
  iterVar: string;
  iterVar2?: string;
  accuVar?: string;
  init: Expr;
  condition: Expr;
  step: Expr;
  result: Expr;
}

/** A macro's complaint about its arguments. */
export class MacroError {
  readonly offset: number;
  readonly message: string;

  constructor(at: Expr, message: string) {
    this.offset = at.offset;
    this.message = message;
  }
}

export interface Macro {
  readonly name: string;
  /** How many arguments; the same name may have several macros. Undefined: any number. */
  readonly arity?: number;
  readonly member: boolean;
  /** Undefined: this call is none of the macro's business and stays an ordinary call. */
  expand(builder: MacroBuilder, target: Expr | undefined, args: readonly Expr[]): Expr | MacroError | undefined;
}

/** A macro on a receiver whose first arguments are names of variables. */
export function loopMacro(
  name: string,
  arity: number,
  variables: 1 | 2,
  expand: (builder: MacroBuilder, range: Expr, names: readonly string[], rest: readonly Expr[]) => Expr | MacroError,
): Macro {
  return {
    name,
    arity,
    member: true,
    expand(builder, target, args) {
      if (target === undefined) return undefined;
      const names: string[] = [];
      for (const arg of args.slice(0, variables)) {
        const variable = variableName(arg);
        if (variable instanceof MacroError) return variable;
        names.push(variable);
      }
      if (variables === 2 && names[0] === names[1]) {
        return new MacroError(args[1] as Expr, `duplicate variable name: ${names[0]}`);
      }
      return expand(builder, target, names, args.slice(variables));
    },
  };
}

/** `all` for one or two variables. */
export function expandAll(builder: MacroBuilder, range: Expr, names: readonly string[], predicate: Expr): Expr {
  return builder.comprehension({
    range,
    ...iterNames(names),
    init: builder.literal(true),
    condition: builder.call(Op.notStrictlyFalse, builder.ident(ACCUMULATOR)),
    step: builder.call(Op.and, builder.ident(ACCUMULATOR), predicate),
    result: builder.ident(ACCUMULATOR),
  });
}

export function expandExists(builder: MacroBuilder, range: Expr, names: readonly string[], predicate: Expr): Expr {
  return builder.comprehension({
    range,
    ...iterNames(names),
    init: builder.literal(false),
    condition: builder.call(Op.notStrictlyFalse, builder.call(Op.not, builder.ident(ACCUMULATOR))),
    step: builder.call(Op.or, builder.ident(ACCUMULATOR), predicate),
    result: builder.ident(ACCUMULATOR),
  });
}

export function expandExistsOne(builder: MacroBuilder, range: Expr, names: readonly string[], predicate: Expr): Expr {
  const plusOne = builder.call(Op.add, builder.ident(ACCUMULATOR), builder.literal(1));
  return builder.comprehension({
    range,
    ...iterNames(names),
    init: builder.literal(0),
    condition: builder.literal(true),
    step: builder.call(Op.conditional, predicate, plusOne, builder.ident(ACCUMULATOR)),
    result: builder.call(Op.equals, builder.ident(ACCUMULATOR), builder.literal(1)),
  });
}

/** `map`, `filter` and `transformList`: a list of `element` where `predicate` holds. */
export function expandToList(
  builder: MacroBuilder,
  range: Expr,
  names: readonly string[],
  predicate: Expr | undefined,
  element: Expr,
): Expr {
  const append = builder.call(Op.add, builder.ident(ACCUMULATOR), builder.list(element));
  return builder.comprehension({
    range,
    ...iterNames(names),
    init: builder.list(),
    condition: builder.literal(true),
    step:
      predicate === undefined ? append : builder.call(Op.conditional, predicate, append, builder.ident(ACCUMULATOR)),
    result: builder.ident(ACCUMULATOR),
  });
}

/** Evaluates `init` once, names it and gives `result`. */
export function expandBind(builder: MacroBuilder, name: string, init: Expr, result: Expr): Expr {
  return builder.comprehension({
    range: builder.list(),
    iterVar: "#unused",
    accuVar: name,
    init,
    condition: builder.literal(false),
    step: builder.ident(name),
    result,
  });
}

export const STANDARD_MACROS: readonly Macro[] = [
  {
    name: "has",
    arity: 1,
    member: false,
    expand(builder, _target, args) {
      const arg = args[0] as Expr;
      if (arg.kind !== "select" || arg.testOnly) return new MacroError(arg, "invalid argument to has() macro");
      return builder.testOnly(arg.operand, arg.field);
    },
  },
  loopMacro("all", 2, 1, (b, range, names, [p]) => expandAll(b, range, names, p as Expr)),
  loopMacro("exists", 2, 1, (b, range, names, [p]) => expandExists(b, range, names, p as Expr)),
  loopMacro("exists_one", 2, 1, (b, range, names, [p]) => expandExistsOne(b, range, names, p as Expr)),
  loopMacro("existsOne", 2, 1, (b, range, names, [p]) => expandExistsOne(b, range, names, p as Expr)),
  loopMacro("map", 2, 1, (b, range, names, [e]) => expandToList(b, range, names, undefined, e as Expr)),
  loopMacro("map", 3, 1, (b, range, names, [p, e]) => expandToList(b, range, names, p, e as Expr)),
  loopMacro("filter", 2, 1, (b, range, names, [p]) => expandToList(b, range, names, p, b.ident(names[0] ?? ""))),
];

/** The plain name that an argument of a macro must be. */
export function variableName(arg: Expr): string | MacroError {
  if (arg.kind !== "ident" || arg.name.startsWith(".")) return new MacroError(arg, "argument must be a simple name");
  if (arg.name === ACCUMULATOR || arg.name === "__result__") {
    return new MacroError(arg, "iteration variable overwrites accumulator variable");
  }
  return arg.name;
}

function iterNames(names: readonly string[]): { iterVar: string; iterVar2?: string } {
  const [iterVar = "", iterVar2] = names;
  return iterVar2 === undefined ? { iterVar } : { iterVar, iterVar2 };
}
