// Conditions under which a webhook is asked at all: expressions over the review. Any false skips it; errors count only when
// none is false. Requirements: document 2, "AuthorizationConfiguration file", "Match logic".

import { apiEnvironment } from "../../cel/api-environment.ts";
import { CostBudget } from "../../cel/cost-budget.ts";
import type { StructDeclaration } from "../../cel/declarations.ts";
import type { Environment } from "../../cel/environment.ts";
import { CelError, compileFailure } from "../../cel/errors.ts";
import { MATCH_CONDITIONS_COST_LIMIT } from "../../cel/limits.ts";
import type { Program } from "../../cel/program.ts";
import { BOOL, CelType, listOf, mapOf, STRING, structType } from "../../cel/types.ts";
import type { Names } from "../../meta/names.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { conditionRequest } from "./review-spec.ts";

type MatchOutcome = { readonly matches: boolean } | { readonly error: string };

export class MatchConditions {
  readonly #programs: readonly Program[];

  private constructor(programs: readonly Program[]) {
    this.#programs = programs;
  }

  /** The conditions, or what is wrong with one of them. */
  static compile(
    names: Names,
    minor: number,
    expressions: readonly string[],
  ): MatchConditions | { index: number; problem: string } {
    const environment = reviewEnvironment(names, minor);
    const programs: Program[] = [];
    for (const [index, expression] of expressions.entries()) {
      const compiled = environment.compile(expression, { expectedTypes: [BOOL] });
      if (!compiled.ok) return { index, problem: compileFailure(compiled.issues) };
      programs.push(compiled.program);
    }
    return new MatchConditions(programs);
  }

  match(attributes: Attributes): MatchOutcome {
    if (this.#programs.length === 0) return { matches: true };
    const activation = { request: conditionRequest(attributes) };
    const budget = new CostBudget(MATCH_CONDITIONS_COST_LIMIT);
    const errors: string[] = [];
    for (const program of this.#programs) {
      const value = program.evaluate(activation, { budget });
      if (value === false) return { matches: false };
      if (value instanceof CelError)
        errors.push(`cel evaluation error: expression '${program.source}' resulted in error: ${value.message}`);
      else if (value !== true) errors.push(`cel evaluation error: expression '${program.source}' is not a truth value`);
    }
    return errors.length === 0
      ? { matches: true }
      : { error: errors.length === 1 ? errors[0]! : `[${errors.join(", ")}]` };
  }
}

const environments = new WeakMap<Names, Environment>();

function reviewEnvironment(names: Names, minor: number): Environment {
  const known = environments.get(names);
  if (known !== undefined) return known;
  const structs: StructDeclaration[] = [];
  const type = declareStruct(REVIEW_SPEC, "SubjectAccessReviewSpec", structs);
  const made = apiEnvironment({ minor, namespace: names.dialect }).withVariables([{ name: "request", type }], structs);
  environments.set(names, made);
  return made;
}

interface FieldTypes {
  readonly [field: string]: CelType | FieldTypes | readonly [FieldTypes];
}

const REQUIREMENT: FieldTypes = { key: STRING, operator: STRING, values: listOf(STRING) };

/** The spec of a v1 review. Its fields are spelled as they are: `namespace` needs no escape here, as in upstream. */
const REVIEW_SPEC: FieldTypes = {
  user: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
  nonResourceAttributes: { path: STRING, verb: STRING },
  resourceAttributes: {
    namespace: STRING,
    verb: STRING,
    group: STRING,
    version: STRING,
    resource: STRING,
    subresource: STRING,
    name: STRING,
    fieldSelector: { rawSelector: STRING, requirements: [REQUIREMENT] },
    labelSelector: { rawSelector: STRING, requirements: [REQUIREMENT] },
  },
};

function declareStruct(fields: FieldTypes, name: string, structs: StructDeclaration[]): CelType {
  const types = new Map(
    Object.entries(fields).map(([field, type]): [string, CelType] => {
      const inner = `${name}.${field}`;
      if (type instanceof CelType) return [field, type];
      if (isListOfStruct(type)) return [field, listOf(declareStruct(type[0], inner, structs))];
      return [field, declareStruct(type, inner, structs)];
    }),
  );
  const type = structType(name);
  structs.push({ type, field: (field) => types.get(field), fieldNames: () => types.keys() });
  return type;
}

const isListOfStruct = (type: FieldTypes | readonly [FieldTypes]): type is readonly [FieldTypes] => Array.isArray(type);
