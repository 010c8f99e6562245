// Runs one case of the conformance suite; says what is wrong, or nothing.

import { Environment, type EnvironmentOptions, type Variable } from "../environment.ts";
import { CelError } from "../errors.ts";
import type { Activation } from "../evaluation.ts";
import { equals } from "../operations/equality.ts";
import { evaluateAtOnce, evaluatePausing } from "../pausing.testing.ts";
import type { Program } from "../program.ts";
import { equalTypes, formatType } from "../types.ts";
import { CelDouble, CelMap, CelUint, type CelValue, isInt, isList, listToArray, typeOf } from "../values.ts";
import { debugTree, normalizeTree } from "./debug-tree.testing.ts";
import { CONFORMANCE_LIBRARIES } from "./libraries.testing.ts";
import { messageTypes } from "./messages.testing.ts";
import { TREE_DIFFERS } from "./skipped.testing.ts";
import { bindingsOf, type ConformanceCase, functionsOf, readType, readValue, variablesOf } from "./suite.testing.ts";

const OPTIONS: EnvironmentOptions = {
  libraries: CONFORMANCE_LIBRARIES,
  homogeneousLiterals: false,
  validateLiterals: false,
  escapedIdentifiers: true,
  types: messageTypes,
};
const base = new Environment(OPTIONS);

export function runCase(test: ConformanceCase, compareTree = !TREE_DIFFERS.has(test.title)): string | undefined {
  const { original } = test;
  const variables = variablesOf(test);
  const bindings = bindingsOf(test);
  if (variables === undefined || bindings === undefined) return "has variables of an unknown type";
  const environment = environmentOf(test, variables);
  if (original.disableCheck) {
    const compiled = environment.compileUnchecked(original.expr);
    if (!compiled.ok) return expectsError(test) ? undefined : compiled.issues.map((issue) => issue.text).join("\n");
    return compareWays(test, compiled.program, bindings);
  }
  const { checked, issues } = environment.check(original.expr);
  if (checked === undefined) {
    return expectsError(test) ? undefined : issues.map((issue) => issue.text).join("\n");
  }
  const type = checked.types[checked.expr.id];
  if (original.resultMatcher.case === "typedResult") {
    const expected = readType(original.resultMatcher.value.deducedType);
    if (expected !== undefined && type !== undefined && !equalTypes(expected, type)) {
      return `type ${formatType(type)}, expected ${formatType(expected)}`;
    }
  }
  // A block is nested bindings here; the reference keeps a function of its own with dynamic types.
  if (test.checkedAst !== undefined && test.suite !== "block_ext" && compareTree) {
    const [found, expected] = [debugTree(checked), normalizeTree(test.checkedAst)];
    if (found !== expected) return `checked tree\n${found}, expected\n${expected}`;
  }
  if (original.checkOnly) return undefined;
  const compiled = environment.compile(original.expr);
  if (!compiled.ok) {
    // A conversion of a constant that fails is told when compiling, as upstream's API servers do.
    const foretold = expectsError(test) && compiled.issues.every((issue) => issue.instantiation);
    return foretold ? undefined : compiled.issues.map((issue) => issue.text).join("\n");
  }
  return compareWays(test, compiled.program, bindings);
}

/** Evaluated at once, and with a pause after every turn of a loop. */
function compareWays(test: ConformanceCase, program: Program, bindings: Activation): string | undefined {
  // What is made once for all, such as a time zone, is work of the first.
  program.evaluate(bindings);
  const whole = evaluateAtOnce(program, () => bindings);
  const paused = evaluatePausing(program, () => bindings);
  const differs = paused.cost !== whole.cost || paused.work !== whole.work;
  if (differs) return `with pauses ${paused.cost}, ${paused.work}, at once ${whole.cost}, ${whole.work}`;
  return compareResult(test, whole.value) ?? compareResult(test, paused.value);
}

function environmentOf(test: ConformanceCase, variables: readonly Variable[]): Environment {
  const { container } = test.original;
  const library = functionsOf(test);
  if ((library.functions ?? []).length === 0) return base.withVariables(variables, [], { container });
  return new Environment({ ...OPTIONS, libraries: [...CONFORMANCE_LIBRARIES, library], variables, container });
}

function expectsError(test: ConformanceCase): boolean {
  const matcher = test.original.resultMatcher.case;
  return matcher === "evalError" || matcher === "anyEvalErrors";
}

function compareResult(test: ConformanceCase, result: CelValue): string | undefined {
  const matcher = test.original.resultMatcher;
  if (expectsError(test)) return result instanceof CelError ? undefined : `a value, expected an error: ${show(result)}`;
  if (result instanceof CelError) return `error: ${result.message}`;
  if (matcher.case === undefined) return result === true ? undefined : `${show(result)}, expected true`;
  const wanted =
    matcher.case === "typedResult" ? matcher.value.result : matcher.case === "value" ? matcher.value : undefined;
  const value = wanted === undefined ? undefined : readValue(wanted);
  if (value === undefined) return matcher.case === "typedResult" ? undefined : "expects a value of an unknown type";
  return same(result, value) ? undefined : `${show(result)}, expected ${show(value)}`;
}

/** Equal and of the same type; NaN is itself here. */
function same(a: CelValue, b: CelValue): boolean {
  if (a instanceof CelDouble && b instanceof CelDouble) return Object.is(a.value, b.value) || a.value === b.value;
  if (typeOf(a).name !== typeOf(b).name) return false;
  if (isList(a) && isList(b)) {
    const [left, right] = [listToArray(a), listToArray(b)];
    return left.length === right.length && left.every((item, index) => same(item, right[index] ?? null));
  }
  return equals(a, b);
}

function show(value: CelValue): string {
  if (isInt(value)) return `${value}`;
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDouble) return `double ${value.value}`;
  if (isList(value)) return `[${listToArray(value).map(show).join(", ")}]`;
  if (value instanceof CelMap) {
    return `{${Array.from(value.keys(), (key) => `${show(key)}: ${show(value.get(key) ?? null)}`).join(", ")}}`;
  }
  return `${typeOf(value).name} ${typeof value === "string" ? JSON.stringify(value) : String(value)}`;
}
