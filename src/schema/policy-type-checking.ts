// Do the expressions of a policy fit the kinds that it matches? Findings are warnings in its status, never refusals.

import type { Pace, Steps } from "../base/steps.ts";
import { declareSchema, type SchemaDeclaration, schemaVariable } from "../cel/schema-types.ts";
import type { Dialect } from "../meta/names.ts";
import { limitText } from "../meta/quoted.ts";
import { celSchemaOf } from "./cel-types.ts";
import {
  ANY,
  compilingPace,
  type NamedExpression,
  type PolicyEnvironment,
  policyEnvironmentInSteps,
} from "./policy-expressions.ts";
import { API_MINOR } from "./rule-programs.ts";
import type { Schema } from "./schema.ts";

/** More kinds of one policy are not looked at. */
const MAX_KINDS = 10;
/** What one warning may say: a finding shows the whole line that it is about. */
const MAX_WARNING_LENGTH = 16 * 1024;
/** All warnings of a policy together: beyond it, expressions are not looked at. They are stored with the policy. */
const MAX_WARNINGS_LENGTH = 64 * 1024;
const AND_MORE: ExpressionWarning = {
  fieldRef: "spec.validations",
  warning: "there are more warnings than a status holds; the expressions that follow were not checked",
};

interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** What is read of a policy. */
interface CheckedPolicy {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string } | undefined;
  readonly matchConstraints?: { readonly resourceRules?: readonly MatchedResources[] } | undefined;
  readonly validations?: readonly { readonly expression: string; readonly messageExpression?: string }[] | undefined;
  readonly variables?: readonly NamedExpression[] | undefined;
}

interface MatchedResources {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
}

/** A kind whose objects a policy may judge. */
export interface CheckedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: Schema;
}

export interface CheckedKinds {
  ofResource(group: string, version: string, resource: string): CheckedKind | undefined;
  named(apiVersion: string, kind: string): CheckedKind | undefined;
}

/** In steps: a policy may have as many expressions as a body holds, each of them for several kinds. */
export function* typeWarnings(dialect: Dialect, kinds: CheckedKinds, spec: CheckedPolicy): Steps<ExpressionWarning[]> {
  const pace = compilingPace();
  const environments = yield* typedEnvironments(dialect, kinds, spec, pace);
  const warnings: ExpressionWarning[] = [];
  let length = 0;
  for (const [index, { expression, messageExpression }] of (spec.validations ?? []).entries()) {
    for (const [field, text] of Object.entries({ expression, messageExpression })) {
      if (text === undefined || text.trim() === "") continue;
      const warning = yield* warningOf(environments, text, pace);
      if (warning === "") continue;
      const found = {
        fieldRef: `spec.validations[${index}].${field}`,
        warning: limitText(warning, MAX_WARNING_LENGTH),
      };
      length += found.fieldRef.length + found.warning.length;
      if (length > MAX_WARNINGS_LENGTH) return [...warnings, AND_MORE];
      warnings.push(found);
    }
  }
  return warnings;
}

interface TypedEnvironment {
  readonly title: string;
  readonly environment: PolicyEnvironment;
}

function* typedEnvironments(
  dialect: Dialect,
  kinds: CheckedKinds,
  spec: CheckedPolicy,
  pace: Pace,
): Steps<TypedEnvironment[]> {
  const params = yield* paramsDeclaration(kinds, spec);
  const found: TypedEnvironment[] = [];
  for (const kind of matchedKinds(kinds, spec)) {
    const environment = yield* typedEnvironment(dialect, kind, spec, params, pace);
    const title = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
    if (environment !== undefined) found.push({ title, environment });
  }
  return found;
}

/** Of all kinds that the expression does not fit; what it gives was checked when the policy was written. */
function* warningOf(environments: readonly TypedEnvironment[], text: string, pace: Pace): Steps<string> {
  const problems: string[] = [];
  for (const { title, environment } of environments) {
    const compiled = yield* environment.compileInSteps(text, ANY, pace);
    if (!compiled.ok) problems.push(`${title}: ${compiled.error.replace(/^compilation failed: /, "")}\n`);
  }
  return problems.join("\n");
}

/** The kinds that rules name outright, in order; `*` could mean anything. */
function matchedKinds(kinds: CheckedKinds, { matchConstraints }: CheckedPolicy): CheckedKind[] {
  const found = new Map<string, CheckedKind>();
  for (const { apiGroups, apiVersions, resources } of matchConstraints?.resourceRules ?? []) {
    for (const group of apiGroups ?? []) {
      for (const version of apiVersions ?? []) {
        for (const resource of resources ?? []) {
          const kind = resource.includes("/") ? undefined : kinds.ofResource(group, version, resource);
          if (kind !== undefined && found.size < MAX_KINDS) found.set(sortKey(kind), kind);
        }
      }
    }
  }
  return [...found.values()].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

const sortKey = ({ group, version, kind }: CheckedKind): string => `${group}\0${version}\0${kind}`;

/** What is known of the parameters: without it, expressions that use them are warned about. */
function* paramsDeclaration(kinds: CheckedKinds, { paramKind }: CheckedPolicy): Steps<SchemaDeclaration | undefined> {
  const kind = paramKind === undefined ? undefined : kinds.named(paramKind.apiVersion ?? "", paramKind.kind ?? "");
  return kind === undefined ? undefined : yield* declarationOf(kind, "Params");
}

function* declarationOf({ kind, schema }: CheckedKind, prefix = ""): Steps<SchemaDeclaration | undefined> {
  return yield* declareSchema(yield* celSchemaOf(schema, { root: true }), `${prefix}${kind}Type`);
}

function* typedEnvironment(
  dialect: Dialect,
  kind: CheckedKind,
  spec: CheckedPolicy,
  params: SchemaDeclaration | undefined,
  pace: Pace,
): Steps<PolicyEnvironment | undefined> {
  const declaration = yield* declarationOf(kind);
  if (declaration === undefined) return undefined;
  return yield* policyEnvironmentInSteps(
    {
      dialect,
      minor: API_MINOR,
      params: params !== undefined,
      // Where a server does not know selectors, it has refused the policy.
      authorizerSelectors: true,
      types: {
        object: schemaVariable("object", declaration),
        oldObject: schemaVariable("oldObject", declaration),
        ...(params === undefined ? {} : { params: schemaVariable("params", params) }),
      },
      structs: [...declaration.structs, ...(params?.structs ?? [])],
    },
    spec.variables ?? [],
    pace,
  );
}
