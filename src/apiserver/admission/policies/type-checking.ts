// Do the expressions of a policy fit the kinds that it matches? Findings are warnings in its status, never refusals.

import { declareSchema, schemaVariable } from "../../../cel/schema-types.ts";
import type { ValidatingAdmissionPolicySpec } from "../../../kinds/admissionregistration/validating-admission-policy-schema.ts";
import type { Names } from "../../../meta/names.ts";
import { celSchemaOf } from "../../../schema/cel-types.ts";
import { BOOLEAN, type PolicyEnvironment, policyEnvironment, TEXT } from "../../../schema/policy-expressions.ts";
import { API_MINOR } from "../../../schema/rule-programs.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { ServedResource } from "../../registry/served-resource.ts";

/** More kinds of one policy are not looked at. */
const MAX_KINDS = 10;

export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

export function typeWarnings(
  names: Names,
  catalog: Catalog,
  spec: ValidatingAdmissionPolicySpec,
  authorizerSelectors: boolean,
): ExpressionWarning[] {
  const environments = matchedKinds(catalog, spec).flatMap((served) => {
    const made = typedEnvironment(names, served, spec, authorizerSelectors);
    return made === undefined ? [] : [{ title: `${served.apiVersion}, Kind=${served.kind.kind}`, environment: made }];
  });
  const check = (fieldRef: string, text: string | undefined, wanted: Parameters<PolicyEnvironment["compile"]>[1]) => {
    if (text === undefined || text.trim() === "") return [];
    const problems = environments.flatMap(({ title, environment }) => {
      const compiled = environment.compile(text, wanted);
      return compiled.ok ? [] : [`${title}: ${compiled.error.replace(/^compilation failed: /, "")}`];
    });
    return problems.length === 0 ? [] : [{ fieldRef, warning: problems.join("\n") }];
  };
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, index) => [
    ...check(`spec.validations[${index}].expression`, expression, BOOLEAN),
    ...check(`spec.validations[${index}].messageExpression`, messageExpression, TEXT),
  ]);
}

/** The kinds that rules name outright; `*` could mean anything. */
function matchedKinds(catalog: Catalog, { matchConstraints }: ValidatingAdmissionPolicySpec): ServedResource[] {
  const found = new Set<ServedResource>();
  for (const { apiGroups, apiVersions, resources } of matchConstraints?.resourceRules ?? []) {
    for (const group of apiGroups ?? []) {
      for (const version of apiVersions ?? []) {
        for (const resource of resources ?? []) {
          const served = resource.includes("/") ? undefined : catalog.find(group, version, resource);
          if (served !== undefined && found.size < MAX_KINDS) found.add(served);
        }
      }
    }
  }
  return [...found];
}

function typedEnvironment(
  names: Names,
  { kind }: ServedResource,
  spec: ValidatingAdmissionPolicySpec,
  authorizerSelectors: boolean,
): PolicyEnvironment | undefined {
  const declaration = declareSchema(celSchemaOf(kind.schema, { root: true }), `${kind.kind}Type`);
  if (declaration === undefined) return undefined;
  return policyEnvironment(
    {
      dialect: names.dialect,
      minor: API_MINOR,
      params: spec.paramKind != null,
      namespaceObject: true,
      authorizerSelectors,
      types: {
        object: schemaVariable("object", declaration),
        oldObject: schemaVariable("oldObject", declaration),
      },
      structs: declaration.structs,
    },
    spec.variables ?? [],
  );
}
