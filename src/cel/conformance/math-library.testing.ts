// The public math extension: greatest, least, rounding, bits. The environments of the API do not have it.

import { declareFunction, type FunctionDeclaration, globalOverload, type Library } from "../declarations.ts";
import { CelError, noSuchOverload } from "../errors.ts";
import { compare } from "../operations/equality.ts";
import { INT_OVERFLOW, intOf, numberOf, uintOf } from "../operations/numbers.ts";
import type { Expr } from "../syntax/ast.ts";
import { type Macro, MacroError } from "../syntax/macros.ts";
import { BOOL, type CelType, DOUBLE, DYN, INT, listOf, UINT } from "../types.ts";
import { CelDouble, type CelInt, CelUint, type CelValue, isInt, isList, listToArray } from "../values.ts";

const NUMERIC = [INT, UINT, DOUBLE];

export const mathLibrary: Library = {
  name: "math",
  macros: [extremeMacro("greatest"), extremeMacro("least")],
  functions: [
    extreme("math.@max", "max", (order) => order > 0),
    extreme("math.@min", "min", (order) => order < 0),
    rounding("ceil", Math.ceil),
    rounding("floor", Math.floor),
    rounding("round", (value) => (value < 0 ? -Math.round(-value) : Math.round(value))),
    rounding("trunc", Math.trunc),
    declareFunction(
      "math.isInf",
      globalOverload(
        "math_isInf_double",
        [DOUBLE],
        BOOL,
        (x: CelDouble) => Math.abs(x.value) === Number.POSITIVE_INFINITY,
      ),
    ),
    declareFunction(
      "math.isNaN",
      globalOverload("math_isNaN_double", [DOUBLE], BOOL, (x: CelDouble) => Number.isNaN(x.value)),
    ),
    declareFunction(
      "math.isFinite",
      globalOverload("math_isFinite_double", [DOUBLE], BOOL, (x: CelDouble) => Number.isFinite(x.value)),
    ),
    declareFunction(
      "math.abs",
      ...NUMERIC.map((type) => globalOverload(`math_abs_${type.kind}`, [type], type, absolute)),
    ),
    declareFunction(
      "math.sign",
      ...NUMERIC.map((type) => globalOverload(`math_sign_${type.kind}`, [type], type, sign)),
    ),
    declareFunction(
      "math.sqrt",
      ...NUMERIC.map((type) =>
        globalOverload(
          `math_sqrt_${type.kind}`,
          [type],
          DOUBLE,
          (x: CelValue) => new CelDouble(Math.sqrt(Number(numberOf(x)))),
        ),
      ),
    ),
    bits("bitAnd", "bitAnd", (a, b) => a & b),
    bits("bitOr", "bitOr", (a, b) => a | b),
    bits("bitXor", "bitXor", (a, b) => a ^ b),
    declareFunction(
      "math.bitNot",
      globalOverload("math_bitNot_int_int", [INT], INT, (x: CelInt) => intOf(~BigInt(x))),
      globalOverload("math_bitNot_uint_uint", [UINT], UINT, (x: CelUint) =>
        uintOf(BigInt.asUintN(64, ~BigInt(x.value))),
      ),
    ),
    shift("bitShiftLeft", (value, by) => value << by),
    shift("bitShiftRight", (value, by) => value >> by),
  ],
};

/** `math.greatest(a, b, c)`: one, two or a list go to the function behind. */
function extremeMacro(name: "greatest" | "least"): Macro {
  return {
    name,
    member: true,
    expand(builder, target, args) {
      if (target?.kind !== "ident" || target.name !== "math") return undefined;
      const [first] = args;
      if (first === undefined) return new MacroError(target, `math.${name}() requires at least one argument`);
      for (const arg of args) {
        if (!mayBeNumeric(arg)) return new MacroError(arg, `math.${name}() simple literal arguments must be numeric`);
      }
      const fn = name === "greatest" ? "math.@max" : "math.@min";
      if (args.length === 1) {
        if (first.kind === "list" && !isNumericList(first.elements)) {
          return new MacroError(first, `math.${name}() invalid single argument value`);
        }
        return builder.call(fn, first);
      }
      return args.length === 2 ? builder.call(fn, ...args) : builder.call(fn, builder.list(...args));
    },
  };
}

function mayBeNumeric(arg: Expr): boolean {
  if (arg.kind === "literal") return numberOf(arg.value) !== undefined;
  return arg.kind !== "map" && arg.kind !== "struct";
}

function isNumericList(elements: readonly Expr[]): boolean {
  return elements.length > 0 && elements.every((element) => element.kind !== "list" && mayBeNumeric(element));
}

function extreme(name: string, id: string, wins: (order: number) => boolean): FunctionDeclaration {
  const best = (values: readonly CelValue[]): CelValue => {
    let found = values[0];
    if (found === undefined) return new CelError(`${name} argument must not be empty`);
    for (const value of values) {
      const order = compare(value, found);
      if (order instanceof CelError) return order;
      if (order !== undefined && wins(order)) found = value;
    }
    return found;
  };
  const pair = (a: CelValue, b: CelValue): CelValue => best([a, b]);
  const single = (value: CelValue): CelValue => {
    if (isList(value)) return best(listToArray(value));
    return numberOf(value) === undefined ? noSuchOverload() : value;
  };
  return declareFunction(
    name,
    ...NUMERIC.map((type) => globalOverload(`math_@${id}_${type.kind}`, [type], type, single)),
    ...NUMERIC.flatMap((left) =>
      NUMERIC.map((right) => {
        const suffix = `${left.kind}_${right.kind}`;
        return globalOverload(`math_@${id}_${suffix}`, [left, right], left === right ? left : DYN, pair);
      }),
    ),
    ...NUMERIC.map((type) => globalOverload(`math_@${id}_list_${type.kind}`, [listOf(type)], type, single)),
  );
}

function rounding(name: string, round: (value: number) => number): FunctionDeclaration {
  return declareFunction(
    `math.${name}`,
    globalOverload(`math_${name}_double`, [DOUBLE], DOUBLE, (x: CelDouble) => new CelDouble(round(x.value))),
  );
}

function absolute(value: CelValue): CelValue {
  if (value instanceof CelDouble) return new CelDouble(Math.abs(value.value));
  if (!isInt(value)) return value;
  const magnitude = typeof value === "number" ? Math.abs(value) : value < 0n ? -value : value;
  return typeof magnitude === "number" ? magnitude : intOf(magnitude) instanceof CelError ? INT_OVERFLOW : magnitude;
}

function sign(value: CelValue): CelValue {
  if (value instanceof CelDouble) return new CelDouble(Math.sign(value.value));
  if (value instanceof CelUint) return new CelUint(value.value > 0 ? 1 : 0);
  const number = numberOf(value) ?? 0;
  return number > 0 ? 1 : number < 0 ? -1 : 0;
}

function bits(name: string, id: string, apply: (a: bigint, b: bigint) => bigint): FunctionDeclaration {
  return declareFunction(
    `math.${name}`,
    globalOverload(`math_${id}_int_int`, [INT, INT], INT, (a: CelInt, b: CelInt) => intOf(apply(BigInt(a), BigInt(b)))),
    globalOverload(`math_${id}_uint_uint`, [UINT, UINT], UINT, (a: CelUint, b: CelUint) => {
      return uintOf(apply(BigInt(a.value), BigInt(b.value)));
    }),
  );
}

function shift(name: string, apply: (value: bigint, by: bigint) => bigint): FunctionDeclaration {
  const guarded =
    (type: CelType) =>
    (value: CelValue, by: CelInt): CelValue => {
      if (by < 0) return new CelError(`math.${name}() negative offset: ${by}`);
      const number = BigInt(numberOf(value) ?? 0);
      if (by > 63) return type === INT ? 0 : uintOf(0n);
      // Shifting works on the bits: the sign bit moves like any other.
      const shifted = apply(BigInt.asUintN(64, number), BigInt(by));
      return type === INT ? intOf(BigInt.asIntN(64, shifted)) : uintOf(BigInt.asUintN(64, shifted));
    };
  return declareFunction(
    `math.${name}`,
    globalOverload(`math_${name}_int_int`, [INT, INT], INT, guarded(INT)),
    globalOverload(`math_${name}_uint_int`, [UINT, INT], UINT, guarded(UINT)),
  );
}
