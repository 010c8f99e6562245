// The public face: an environment of declarations compiles expressions into programs and estimates their cost.
// Serves document 1, "Expression language (CEL) in API fields".

import { append } from "../base/append.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { check } from "./checker/check.ts";
import type { CheckedExpr } from "./checker/checked.ts";
import type { VariableDeclaration } from "./checker/scope.ts";
import { validate } from "./checker/validate.ts";
import { estimateCost, type SizeHints } from "./cost/estimate.ts";
import type { Range } from "./cost/sizes.ts";
import type { FunctionDeclaration, Library, Overload, StructDeclaration, TypeProvider } from "./declarations.ts";
import { type CelIssue, inTextOrder } from "./errors.ts";
import { type Adapter, fromJson } from "./json.ts";
import { Program } from "./program.ts";
import { type CompiledProgram, type ProgramCache, programCache } from "./program-cache.ts";
import { InstantiationError } from "./runtime/constants.ts";
import { type Plan, plan } from "./runtime/plan.ts";
import type { Expr } from "./syntax/ast.ts";
import { type MacroTable, macroTable } from "./syntax/grammar.ts";
import { type Macro, STANDARD_MACROS } from "./syntax/macros.ts";
import { parse } from "./syntax/parser.ts";
import { Source } from "./syntax/source.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  equalTypes,
  formatType,
  INT,
  LIST_OF_DYN,
  MAP_OF_DYN,
  NULL,
  STRING,
  TIMESTAMP,
  TYPE,
  typeOfType,
  UINT,
} from "./types.ts";

export interface Variable {
  /** May be qualified: `authorizer.requestResource`. */
  readonly name: string;
  readonly type: CelType;
  /** Makes a value of what the activation holds; JSON of no known schema when not given. */
  readonly adapt?: Adapter;
}

export interface EnvironmentOptions {
  readonly variables?: readonly Variable[];
  /** Object types that variables mention. */
  readonly structs?: Iterable<StructDeclaration>;
  /** Further object types, found by name. */
  readonly types?: TypeProvider;
  readonly libraries: readonly Library[];
  /** Elements of list and map literals have one type. Default true. */
  readonly homogeneousLiterals?: boolean;
  /** Literal patterns, timestamps and durations are checked when compiling. Default true. */
  readonly validateLiterals?: boolean;
  /** `a.?b` and its kin. Default true. */
  readonly optionalSyntax?: boolean;
  readonly escapedIdentifiers?: boolean;
  readonly container?: string;
}

interface CompileOptions {
  /** The types that the result may have; any when not given. */
  readonly expectedTypes?: readonly CelType[];
}

type Compiled = CompiledProgram | { readonly ok: false; readonly issues: readonly CelIssue[] };

interface Checked {
  readonly checked?: CheckedExpr;
  readonly issues: readonly CelIssue[];
}

const CHARACTERS_PER_PART = 20;

/** How many short expressions could be compiled in the time that this one takes. */
export const compileParts = (text: string): number => 1 + text.length / CHARACTERS_PER_PART;

export class Environment {
  readonly #variables: ReadonlyMap<string, Variable & VariableDeclaration>;
  readonly #functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly #types: TypeProvider;
  readonly #macros: MacroTable;
  readonly #options: EnvironmentOptions;
  readonly #base: EnvironmentBase;
  readonly #qualifiedRoots: ReadonlySet<string> | undefined;
  /** By the types that were expected, of which there are as many as callers. */
  readonly #programs = new Map<string, ProgramCache>();
  /** Of the text that was compiled last: whoever compiles one usually asks next what it may cost. */
  #lastChecked: { readonly text: string; readonly checked: CheckedExpr } | undefined;

  constructor(options: EnvironmentOptions, base: EnvironmentBase = baseOf(options.libraries)) {
    this.#options = options;
    this.#base = base;
    const structs = new Map(Array.from(options.structs ?? [], (struct) => [struct.type.name, struct]));
    const anyName = options.types !== undefined || (options.container ?? "") !== "";
    this.#qualifiedRoots = anyName
      ? undefined
      : new Set([
          ...base.qualifiedRoots,
          ...rootsOf(options.variables?.map((variable) => variable.name) ?? []),
          ...rootsOf(Array.from(structs.values(), (struct) => (struct.create === undefined ? "" : struct.type.name))),
        ]);
    this.#types = { findStruct: (name) => structs.get(name) ?? options.types?.findStruct(name) };
    this.#functions = base.functions;
    this.#macros = base.macros;
    const variables = new Map<string, Variable & VariableDeclaration>(base.constants);
    for (const variable of options.variables ?? []) variables.set(variable.name, variable);
    this.#variables = variables;
  }

  /** The same libraries and rules with other variables and object types; cheap. */
  withVariables(
    variables: readonly Variable[],
    structs: Iterable<StructDeclaration> = [],
    more: Pick<EnvironmentOptions, "types" | "container"> = {},
  ): Environment {
    return new Environment({ ...this.#options, variables, structs, ...more }, this.#base);
  }

  /** Compiled programs are kept: the same text again costs a look-up. Lists every mistake of the text. */
  compile(text: string, options: CompileOptions = {}): Compiled {
    return this.#programsFor(options).get(text) ?? atOnce(this.compileInSteps(text, options));
  }

  /** The same, with a turn for others before and between the stages: for the first text of a process each takes long. */
  *compileInSteps(text: string, options: CompileOptions = {}): Steps<Compiled> {
    const programs = this.#programsFor(options);
    const known = programs.get(text);
    if (known !== undefined) return known;
    yield;
    const made = yield* this.#compile(text, options);
    if (made.ok) programs.set(text, made);
    // What it may cost is usually asked next.
    yield;
    return made;
  }

  /** Bounds of what an evaluation can cost; undefined for a text that does not compile. */
  estimate(text: string, sizes: SizeHints): Range | undefined {
    const last = this.#lastChecked;
    this.#lastChecked = undefined;
    const { checked } = last?.text === text ? last : this.check(text);
    return checked === undefined ? undefined : estimateCost(checked, sizes);
  }

  /** The checked tree and the mistakes of a text. */
  check(text: string): Checked {
    return atOnce(this.#check(text));
  }

  *#check(text: string): Steps<Checked> {
    const result = parse(text, {
      macros: this.#macros,
      optionalSyntax: this.#options.optionalSyntax ?? true,
      escapedIdentifiers: this.#options.escapedIdentifiers ?? false,
    });
    if ("issues" in result) return { issues: result.issues };
    yield;
    const source = new Source(text);
    const { checked, issues } = check(result.parsed, source, {
      variables: this.#variables,
      functions: this.#functions,
      types: this.#types,
      container: this.#options.container ?? "",
      qualifiedRoots: this.#qualifiedRoots,
    });
    if (issues.length > 0) return { issues: inTextOrder(issues) };
    yield;
    const { validateLiterals: literals = true, homogeneousLiterals: homogeneous = true } = this.#options;
    const problems = validate(checked, source, { literals, homogeneous });
    yield;
    return problems.length > 0 ? { issues: inTextOrder(problems) } : { checked, issues };
  }

  /** A program from a text that is not checked: every mistake that a check would find shows when it runs. */
  compileUnchecked(text: string): Compiled {
    const { checked, issues } = this.#parse(text);
    if (checked === undefined) return { ok: false, issues };
    return this.#plan(text, checked, DYN, (environment) => environment.#planPausable(text, false));
  }

  #parse(text: string): Checked {
    const result = parse(text, { macros: this.#macros, optionalSyntax: true, escapedIdentifiers: true });
    if ("issues" in result) return { issues: result.issues };
    return { checked: { ...result.parsed, types: [], references: [] }, issues: [] };
  }

  #programsFor({ expectedTypes = [] }: CompileOptions): ProgramCache {
    const key = expectedTypes.map(formatType).join();
    const known = this.#programs.get(key);
    if (known !== undefined) return known;
    const made = programCache();
    this.#programs.set(key, made);
    return made;
  }

  *#compile(text: string, options: CompileOptions): Steps<Compiled> {
    const { checked, issues } = yield* this.#check(text);
    if (checked === undefined) return { ok: false, issues };
    this.#lastChecked = { text, checked };
    const type = checked.types[checked.expr.id] ?? DYN;
    const expected = options.expectedTypes;
    if (expected !== undefined && type.kind !== "dyn" && !expected.some((one) => equalTypes(one, type))) {
      const issue = new Source(text).issue(startOf(checked.expr), unexpectedType(expected, type));
      return { ok: false, issues: [issue] };
    }
    return this.#plan(text, checked, type, (environment) => environment.#planPausable(text, true));
  }

  /** Trees are not kept, so the text is read once more. */
  *#planPausable(text: string, isChecked: boolean): Steps<Plan> {
    const { checked } = isChecked ? yield* this.#check(text) : this.#parse(text);
    if (checked === undefined) throw new Error(`compiled before, but not now: ${text}`);
    return this.#planned(checked, true);
  }

  #plan(
    text: string,
    checked: CheckedExpr,
    type: CelType,
    planPausable: (environment: Environment) => Steps<Plan>,
  ): Compiled {
    // An environment of its own: what this one has compiled is not kept for the sake of a program.
    const [options, base] = [this.#options, this.#base];
    const pausable = () => planPausable(new Environment(options, base));
    try {
      return { ok: true, program: new Program(text, type, this.#planned(checked, false), pausable) };
    } catch (error) {
      if (!(error instanceof InstantiationError)) throw error;
      return { ok: false, issues: [{ message: error.message, text: error.message, instantiation: true }] };
    }
  }

  #planned(checked: CheckedExpr, pausable: boolean): Plan {
    const environment = {
      variables: this.#variables,
      functions: this.#functions,
      types: this.#types,
      container: this.#options.container ?? "",
      adapterOf: (declaration: VariableDeclaration) => this.#variables.get(declaration.name)?.adapt ?? fromJson,
    };
    return plan(checked, environment, pausable);
  }
}

/** What environments with the same libraries share. */
interface EnvironmentBase {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: MacroTable;
  readonly constants: ReadonlyMap<string, Variable & VariableDeclaration>;
  /** What the names with dots among them begin with. */
  readonly qualifiedRoots: ReadonlySet<string>;
}

function baseOf(libraries: readonly Library[]): EnvironmentBase {
  const functions = new Map<string, FunctionDeclaration>();
  const macros: Macro[] = [...STANDARD_MACROS];
  const constants = new Map<string, Variable & VariableDeclaration>();
  const addType = (type: CelType): void => {
    constants.set(type.name, { name: type.name, type: typeOfType(type), constant: type });
  };
  for (const type of NAMED_TYPES) addType(type);
  for (const library of libraries) {
    for (const declaration of library.functions ?? []) {
      functions.set(declaration.name, mergeOverloads(functions.get(declaration.name), declaration));
    }
    append(macros, library.macros ?? []);
    for (const type of library.types ?? []) addType(type);
    for (const { name, type, value } of library.constants ?? []) constants.set(name, { name, type, constant: value });
  }
  const qualifiedRoots = new Set(rootsOf([...functions.keys(), ...constants.keys()]));
  return { functions, macros: macroTable(macros), constants, qualifiedRoots };
}

function rootsOf(names: readonly string[]): string[] {
  return names.filter((name) => name.includes(".")).map((name) => name.slice(0, name.indexOf(".")));
}

const NAMED_TYPES = [NULL, BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION, TYPE, LIST_OF_DYN, MAP_OF_DYN];

/** Several libraries may add to one function; a later overload of the same id replaces the earlier. */
function mergeOverloads(known: FunctionDeclaration | undefined, added: FunctionDeclaration): FunctionDeclaration {
  if (known === undefined) return added;
  const overloads = new Map<string, Overload>();
  for (const overload of [...known.overloads, ...added.overloads]) overloads.set(overload.id, overload);
  return { name: added.name, overloads: [...overloads.values()] };
}

function unexpectedType(expected: readonly CelType[], type: CelType): string {
  const names = expected.map(formatType);
  const shown = names.length === 1 ? names[0] : `one of ${names.join(", ")}`;
  return `must evaluate to ${shown}, but the expression is of type ${formatType(type)}`;
}

function startOf(expr: Expr): number {
  return expr.offset;
}
