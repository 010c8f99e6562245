// The expressions of admission policies and of webhooks' match conditions: what they may name, and how they compile.
// Requirements: document 1, "Expression language (CEL) in API fields".

import { atOnce, Pace, type Steps } from "../base/steps.ts";
import { apiEnvironment, authorizerTypes } from "../cel/api-environment.ts";
import type { StructDeclaration } from "../cel/declarations.ts";
import { compileParts, type Environment, type Variable } from "../cel/environment.ts";
import { compileFailure } from "../cel/errors.ts";
import type { Program } from "../cel/program.ts";
import {
  BOOL,
  CelType,
  DYN,
  equalTypes,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  structType,
  typeText,
} from "../cel/types.ts";

export { isIdentifier } from "../cel/property-names.ts";

export interface PolicyScope {
  /** The brand of library types: the dialect. */
  readonly dialect: string;
  readonly minor: number;
  /** `params` is there. */
  readonly params: boolean;
  /** Selectors in authorizer checks: their gate. */
  readonly authorizerSelectors: boolean;
  /** For expressions that build patches. */
  readonly jsonPatch?: boolean;
  /** Known types of `object`, `oldObject` and `params`; any when not given. */
  readonly types?: { readonly object?: Variable; readonly oldObject?: Variable; readonly params?: Variable };
  /** Object types that the known types mention. */
  readonly structs?: readonly StructDeclaration[];
}

/** What expressions of a field may evaluate to. */
export const ANY: readonly CelType[] = [];
export const BOOLEAN: readonly CelType[] = [BOOL];
export const TEXT: readonly CelType[] = [STRING];
export const TEXT_OR_NULL: readonly CelType[] = [STRING, NULL];

/** What mutations build. */
export const PATCHES: readonly CelType[] = [listOf(structType("JSONPatch"))];
export const CONFIGURATION: readonly CelType[] = [structType("Object")];

export type CompiledExpression =
  | { readonly ok: true; readonly program: Program }
  | {
      readonly ok: false;
      readonly error: string /** The text is right, but it cannot run. */;
      readonly unusable?: boolean;
    };

export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

/** An environment and what was made of the policy's own variables, which later ones and all others may use. */
export interface PolicyEnvironment {
  /** What was compiled is kept with the environment. */
  compile(text: string, wanted?: readonly CelType[]): CompiledExpression;
  compileInSteps(text: string, wanted: readonly CelType[], pace: Pace): Steps<CompiledExpression>;
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  /** As given, also where names are repeated. */
  readonly compiledVariables: readonly CompiledExpression[];
  readonly variablesType: CelType;
  /** The same for expressions that cannot ask the authorizer: those of messages. */
  withoutAuthorizer(): PolicyEnvironment;
}

const NEVER_DUE = new Pace(Number.POSITIVE_INFINITY);

/** The pace at which everything that a policy says is compiled, where its first request waits for that. */
export const compilingPace = (): Pace => new Pace(PARTS_PER_STEP);
/** As `compileParts` counts them. */
const PARTS_PER_STEP = 25;

export function policyEnvironment(scope: PolicyScope, variables: readonly NamedExpression[] = []): PolicyEnvironment {
  return atOnce(policyEnvironmentInSteps(scope, variables, NEVER_DUE));
}

/** The same where others have their turn: each variable is a part of the pace. */
export function* policyEnvironmentInSteps(
  scope: PolicyScope,
  variables: readonly NamedExpression[],
  pace: Pace,
): Steps<PolicyEnvironment> {
  const variablesType = structType(`${scope.dialect}.variables`);
  const base = baseVariables(scope);
  const fields = new Map<string, CelType>();
  const compiled = new Map<string, CompiledExpression>();
  const compiledVariables: CompiledExpression[] = [];
  // A policy without variables has none to name.
  const composes = variables.length > 0;
  let environment = extend(scope, base, variablesType, fields, composes);
  for (const { name, expression } of variables) {
    const made = yield* compile(environment, expression, [], pace);
    compiled.set(name, made);
    compiledVariables.push(made);
    // One that does not compile is reported by itself: those that use it are not blamed too.
    fields.set(name, made.ok ? made.program.resultType : DYN);
    environment = extend(scope, base, variablesType, fields, composes);
  }
  let silent: PolicyEnvironment | undefined;
  const made = (within: Environment): PolicyEnvironment => ({
    ...keptExpressions(within),
    variables: compiled,
    compiledVariables,
    variablesType,
    withoutAuthorizer() {
      const rest = base.filter(({ name }) => name !== "authorizer" && !name.startsWith("authorizer."));
      silent ??= made(extend(scope, rest, variablesType, fields, composes));
      return silent;
    },
  });
  return made(environment);
}

/** As many as the policy has: the environment is made for it alone. */
function keptExpressions(environment: Environment): Pick<PolicyEnvironment, "compile" | "compileInSteps"> {
  const kept = new Map<readonly CelType[], Map<string, CompiledExpression>>();
  function* compileInSteps(text: string, wanted: readonly CelType[], pace: Pace): Steps<CompiledExpression> {
    const compiled = yield* compile(environment, text, wanted, pace);
    const known = kept.get(wanted) ?? new Map<string, CompiledExpression>();
    kept.set(wanted, known.set(text, compiled));
    return compiled;
  }
  return {
    compile: (text, wanted = ANY) => kept.get(wanted)?.get(text) ?? atOnce(compileInSteps(text, wanted, NEVER_DUE)),
    compileInSteps,
  };
}

function extend(
  scope: PolicyScope,
  base: readonly Variable[],
  variablesType: CelType,
  fields: ReadonlyMap<string, CelType>,
  composes: boolean,
): Environment {
  const { dialect, minor, authorizerSelectors, jsonPatch = false, structs = [] } = scope;
  const environment = apiEnvironment({ minor, namespace: dialect, authorizerSelectors, jsonPatch });
  const own: Variable[] = composes ? [{ name: "variables", type: variablesType }] : [];
  // Not a copy: a policy may have thousands, and whoever compiles sees those that came before.
  const composed: StructDeclaration = {
    type: variablesType,
    field: (name) => fields.get(name),
    fieldNames: () => fields.keys(),
  };
  return environment.withVariables([...base, ...own], [...requestStructs(dialect), composed, ...structs]);
}

function baseVariables({ dialect, params, types = {} }: PolicyScope): Variable[] {
  const { authorizer, resourceCheck } = authorizerTypes(dialect);
  return [
    types.object ?? { name: "object", type: DYN },
    types.oldObject ?? { name: "oldObject", type: DYN },
    { name: "request", type: structType(`${dialect}.AdmissionRequest`) },
    { name: "authorizer", type: authorizer },
    { name: "authorizer.requestResource", type: resourceCheck },
    { name: "namespaceObject", type: structType(`${dialect}.Namespace`) },
    ...(params ? [types.params ?? { name: "params", type: DYN }] : []),
  ];
}

function* compile(
  environment: Environment,
  text: string,
  wanted: readonly CelType[],
  pace: Pace,
): Steps<CompiledExpression> {
  if (pace.due(compileParts(text))) yield;
  const compiled = yield* environment.compileInSteps(text);
  if (!compiled.ok) {
    const unusable = compiled.issues[0]?.instantiation ?? false;
    return { ok: false, error: compileFailure(compiled.issues), unusable };
  }
  const { resultType } = compiled.program;
  if (wanted.length > 0 && !wanted.some((type) => equalTypes(type, resultType))) {
    const names = wanted.map(typeText);
    const shown = names.length === 1 ? names[0] : `one of [${names.join(" ")}]`;
    return { ok: false, error: `must evaluate to ${shown} but got ${typeText(resultType)}` };
  }
  return { ok: true, program: compiled.program };
}

interface FieldTypes {
  readonly [field: string]: CelType | FieldTypes;
}

const GROUP_VERSION_KIND: FieldTypes = { group: STRING, version: STRING, kind: STRING };
const GROUP_VERSION_RESOURCE: FieldTypes = { group: STRING, version: STRING, resource: STRING };

/** Fields are spelled as they are: `namespace` needs no escape here. */
const ADMISSION_REQUEST: FieldTypes = {
  kind: GROUP_VERSION_KIND,
  resource: GROUP_VERSION_RESOURCE,
  subResource: STRING,
  requestKind: GROUP_VERSION_KIND,
  requestResource: GROUP_VERSION_RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: { username: STRING, uid: STRING, groups: listOf(STRING), extra: mapOf(STRING, listOf(STRING)) },
  dryRun: BOOL,
  options: DYN,
};

const NAMESPACE: FieldTypes = {
  metadata: {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    uid: STRING,
    creationTimestamp: DYN,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: DYN,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  },
  spec: { finalizers: listOf(STRING) },
  status: { phase: STRING, conditions: DYN },
};

/** One list per dialect: bounded. */
const structsOf = new Map<string, readonly StructDeclaration[]>();

function requestStructs(dialect: string): readonly StructDeclaration[] {
  let structs = structsOf.get(dialect);
  if (structs === undefined) {
    const made: StructDeclaration[] = [];
    declareStruct(ADMISSION_REQUEST, `${dialect}.AdmissionRequest`, made);
    declareStruct(NAMESPACE, `${dialect}.Namespace`, made);
    structs = made;
    structsOf.set(dialect, structs);
  }
  return structs;
}

function declareStruct(fields: FieldTypes, name: string, structs: StructDeclaration[]): CelType {
  const types = new Map<string, CelType>();
  for (const [field, type] of Object.entries(fields)) {
    types.set(field, type instanceof CelType ? type : declareStruct(type, `${name}.${field}`, structs));
  }
  const type = structType(name);
  structs.push({ type, field: (field) => types.get(field), fieldNames: () => types.keys() });
  return type;
}
