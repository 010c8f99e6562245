// Do the expressions of a policy fit the kinds that it matches? Findings are warnings in its status, never refusals.

import { declareSchema, schemaVariable } from "../../cel/schema-types.ts";
import type { ValidatingAdmissionPolicySpec } from "../../kinds/admissionregistration/validating-admission-policy-schema.ts";
import type { Names } from "../../meta/names.ts";
import { parseApiVersion } from "../../meta/object.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { celSchemaOf } from "../../schema/cel-types.ts";
import { type PolicyEnvironment, policyEnvironment } from "../../schema/policy-expressions.ts";
import { API_MINOR } from "../../schema/rule-programs.ts";

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
  const params = paramsDeclaration(catalog, spec);
  const environments = matchedKinds(catalog, spec).flatMap((served) => {
    const made = typedEnvironment(names, served, spec, params, authorizerSelectors);
    const title = `${served.group}/${served.kind.version}, Kind=${served.kind.kind}`;
    return made === undefined ? [] : [{ title, environment: made }];
  });
  // What an expression gives was checked when the policy was written.
  const check = (fieldRef: string, text: string | undefined) => {
    if (text === undefined || text.trim() === "") return [];
    const problems = environments.flatMap(({ title, environment }) => {
      const compiled = environment.compile(text);
      return compiled.ok ? [] : [`${title}: ${compiled.error.replace(/^compilation failed: /, "")}\n`];
    });
    return problems.length === 0 ? [] : [{ fieldRef, warning: problems.join("\n") }];
  };
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, index) => [
    ...check(`spec.validations[${index}].expression`, expression),
    ...check(`spec.validations[${index}].messageExpression`, messageExpression),
  ]);
}

/** The kinds that rules name outright, in order; `*` could mean anything. */
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
  return [...found].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

const sortKey = ({ group, kind }: ServedResource): string => `${group}\0${kind.version}\0${kind.kind}`;

type Declaration = NonNullable<ReturnType<typeof declareSchema>>;

/** What is known of the parameters: without it, expressions that use them are warned about. */
function paramsDeclaration(catalog: Catalog, { paramKind }: ValidatingAdmissionPolicySpec): Declaration | undefined {
  const parsed = parseApiVersion(paramKind?.apiVersion ?? "");
  const served = catalog
    .all()
    .find(
      ({ group, kind }) => kind.kind === paramKind?.kind && group === parsed?.group && kind.version === parsed.version,
    );
  return served === undefined ? undefined : declarationOf(served, "Params");
}

function declarationOf({ kind }: ServedResource, prefix = ""): Declaration | undefined {
  return declareSchema(celSchemaOf(kind.schema, { root: true }), `${prefix}${kind.kind}Type`);
}

function typedEnvironment(
  names: Names,
  served: ServedResource,
  spec: ValidatingAdmissionPolicySpec,
  params: Declaration | undefined,
  authorizerSelectors: boolean,
): PolicyEnvironment | undefined {
  const declaration = declarationOf(served);
  if (declaration === undefined) return undefined;
  return policyEnvironment(
    {
      dialect: names.dialect,
      minor: API_MINOR,
      params: params !== undefined,
      authorizerSelectors,
      types: {
        object: schemaVariable("object", declaration),
        oldObject: schemaVariable("oldObject", declaration),
        ...(params === undefined ? {} : { params: schemaVariable("params", params) }),
      },
      structs: [...declaration.structs, ...(params?.structs ?? [])],
    },
    spec.variables ?? [],
  );
}
