// The expressions of a custom resource's schema (x-kubernetes-validations), compiled where they are first needed.
// Requirements: document 1, "Expression language (CEL) in API fields".

import type { Steps } from "../base/steps.ts";
import { apiEnvironment } from "../cel/api-environment.ts";
import type { Environment, Variable } from "../cel/environment.ts";
import { compileFailure } from "../cel/errors.ts";
import type { Program } from "../cel/program.ts";
import { declareSchema, type SchemaDeclaration, schemaVariable } from "../cel/schema-types.ts";
import { optionalOf } from "../cel/types.ts";
import { CelOptional, NONE } from "../cel/values.ts";
import { celSchemaOf } from "./cel-types.ts";
import type { Schema, ValidationRule } from "./schema.ts";

/** Expressions that are stored may use what this version has; new ones what the version before had. */
export const API_MINOR = 34;

export interface RuleEnvironmentOptions {
  /** The brand of library types: the dialect. */
  readonly namespace: string;
  readonly minor?: number;
}

export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: Program | undefined;
  /** Why there is no program. */
  readonly error?: string;
  readonly usesOldSelf: boolean;
  readonly message: Program | undefined;
  readonly messageError?: string;
}

/** The types of a schema for the rules that stand in it; undefined where it has none. */
export function* declareSelf(
  schema: Schema,
  options: { readonly root: boolean },
): Steps<SchemaDeclaration | undefined> {
  const described = yield* celSchemaOf(schema, options);
  yield;
  return yield* declareSchema(described, "selfType");
}

/** Compiles the rules of one node of a schema. */
export class RuleCompiler {
  readonly #environment: Environment;
  readonly declaration: SchemaDeclaration | undefined;
  #plain: Environment | undefined;
  #optional: Environment | undefined;

  /** `declaration`: of the schema that the rules stand in. */
  constructor(declaration: SchemaDeclaration | undefined, options: RuleEnvironmentOptions) {
    this.#environment = apiEnvironment({ minor: options.minor ?? API_MINOR, namespace: options.namespace });
    this.declaration = declaration;
  }

  /** With a turn for others between the stages of long texts. */
  *compileInSteps(rule: ValidationRule): Steps<CompiledRule> {
    const environment = this.environmentOf(rule);
    if (environment === undefined)
      return { rule, program: undefined, error: NO_TYPE, usesOldSelf: false, message: undefined };
    const compiled = yield* environment.compileInSteps(rule.rule);
    if (!compiled.ok) {
      const error = compileFailure(compiled.issues);
      return { rule, program: undefined, error, usesOldSelf: false, message: undefined };
    }
    const { program } = compiled;
    if (program.resultType.kind !== "bool")
      return { rule, program: undefined, error: NOT_BOOL, usesOldSelf: false, message: undefined };
    const usesOldSelf = program.variables.includes("oldSelf");
    return { rule, program, usesOldSelf, ...(yield* this.#messageOf(rule, environment)) };
  }

  /** The most that an evaluation can cost. Infinite where there is no program. */
  maxCost(rule: Pick<ValidationRule, "optionalOldSelf">, text: string): number {
    const sizes = this.declaration?.sizes ?? (() => undefined);
    return this.environmentOf(rule)?.estimate(text, sizes)?.max ?? Number.POSITIVE_INFINITY;
  }

  /** The environment that a rule is compiled in; undefined where the schema says no type. */
  environmentOf(rule: Pick<ValidationRule, "optionalOldSelf">): Environment | undefined {
    const { declaration } = this;
    if (declaration === undefined) return undefined;
    if (rule.optionalOldSelf !== true) {
      this.#plain ??= this.#with(declaration, schemaVariable("oldSelf", declaration));
      return this.#plain;
    }
    this.#optional ??= this.#with(declaration, optionalOldSelf(declaration));
    return this.#optional;
  }

  #with(declaration: SchemaDeclaration, oldSelf: Variable): Environment {
    return this.#environment.withVariables([schemaVariable("self", declaration), oldSelf], declaration.structs);
  }

  *#messageOf(rule: ValidationRule, environment: Environment): Steps<Pick<CompiledRule, "message" | "messageError">> {
    if (rule.messageExpression === undefined || rule.messageExpression === "") return { message: undefined };
    const compiled = yield* environment.compileInSteps(rule.messageExpression);
    if (!compiled.ok) {
      return {
        message: undefined,
        messageError: `messageExpression ${compileFailure(compiled.issues).replace(/^program /, "")}`,
      };
    }
    if (compiled.program.resultType.kind !== "string") {
      return { message: undefined, messageError: "messageExpression must evaluate to a string" };
    }
    return { message: compiled.program };
  }
}

const NOT_BOOL = "cel expression must evaluate to a bool";

/** Why rules of a schema without a type are not compiled. */
export const NO_TYPE = "failed to convert to declType for CEL validation rules";

function optionalOldSelf(declaration: SchemaDeclaration): Variable {
  const { type, adapt } = declaration;
  return {
    name: "oldSelf",
    type: optionalOf(type),
    adapt: (raw) => (raw === undefined || raw === null ? NONE : new CelOptional(adapt(raw))),
  };
}
