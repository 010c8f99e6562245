// Conditions under which a webhook is asked at all: expressions over the review. Any false skips it; errors count only when
// none is false. Requirements: document 2, "AuthorizationConfiguration file", "Match logic".

import { apiEnvironment } from "../../../cel/api-environment.ts";
import type { Environment } from "../../../cel/environment.ts";
import { CelError, formatIssues } from "../../../cel/errors.ts";
import { MATCH_CONDITIONS_COST_LIMIT } from "../../../cel/limits.ts";
import { CostBudget, type Program } from "../../../cel/program.ts";
import { declareSchema } from "../../../cel/schema-types.ts";
import { BOOL } from "../../../cel/types.ts";
import { subjectAccessReviewSpec } from "../../../kinds/authorization/access-review-schema.ts";
import type { Names } from "../../../meta/names.ts";
import { celSchemaOf } from "../../../schema/cel-types.ts";
import type { Attributes } from "../authorizer.ts";
import { conditionRequest } from "./review-spec.ts";

export type MatchOutcome = { readonly matches: boolean } | { readonly error: string };

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
      if (!compiled.ok) return { index, problem: `compilation failed: ${formatIssues(compiled.issues)}` };
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
  const declared = declareSchema(celSchemaOf(subjectAccessReviewSpec), "SubjectAccessReviewSpec");
  if (declared === undefined) throw new Error("the spec of a review has no type");
  const { type, structs, adapt, sizes } = declared;
  const made = apiEnvironment({ minor, namespace: names.dialect }).withVariables(
    [{ name: "request", type, adapt, sizes }],
    structs,
  );
  environments.set(names, made);
  return made;
}
