// The policies in force with their bindings, compiled where they are first needed; follows every change of both.

import type { Steps } from "../../base/steps.ts";
import type { CelType } from "../../cel/types.ts";
import type { MatchResources } from "../../kinds/admissionregistration/match-resources.ts";
import type { ApiObject } from "../../meta/object.ts";
import {
  ANY,
  BOOLEAN,
  compilingPace,
  type NamedExpression,
  type PolicyEnvironment,
  type PolicyScope,
  policyEnvironment,
  policyEnvironmentInSteps,
  TEXT,
  TEXT_OR_NULL,
} from "../../schema/policy-expressions.ts";
import { policyLiterals } from "../../schema/policy-literals.ts";
import { API_MINOR } from "../../schema/rule-programs.ts";
import { MadeOnce } from "../matching/made-once.ts";
import { type CompiledCondition, compileConditions, type MatchCondition } from "../matching/match-conditions.ts";
import { type MatchCriteria, readCriteria } from "../matching/matcher.ts";
import type { PluginParts } from "../plugin-parts.ts";

/** In any version. */
type Matching = Omit<Partial<MatchResources>, "matchPolicy"> & { readonly matchPolicy?: string };

/** What policies of both kinds say in their specs. */
interface PolicySpec {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string } | null;
  readonly matchConstraints?: Matching | null;
  readonly matchConditions?: readonly MatchCondition[] | null;
  readonly variables?: readonly NamedExpression[] | null;
  readonly failurePolicy?: string;
}

interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef | null;
  readonly matchResources?: Matching | null;
  readonly validationActions?: readonly string[];
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: { readonly matchLabels?: Record<string, string> };
  readonly parameterNotFoundAction?: string;
}

export interface BoundPolicy<S extends PolicySpec> {
  readonly name: string;
  readonly spec: S;
  readonly criteria: MatchCriteria;
  readonly bindings: readonly Binding[];
  readonly expressions: MadeOnce<PolicyExpressions>;
}

/** What a policy says, compiled. */
export interface PolicyExpressions {
  /** Has everything but the match conditions compiled. */
  readonly environment: PolicyEnvironment;
  readonly conditions: readonly CompiledCondition[];
}

export interface Binding {
  readonly name: string;
  readonly spec: BindingSpec;
  /** Undefined: it matches what the policy matches. */
  readonly criteria: MatchCriteria | undefined;
}

type ReadPolicy<S extends PolicySpec> = Omit<BoundPolicy<S>, "bindings">;

export interface PolicyResources {
  readonly policies: string;
  readonly bindings: string;
  readonly version: string;
  /** Expressions build patches. */
  readonly jsonPatch: boolean;
}

export const VALIDATING_POLICIES: PolicyResources = {
  policies: "validatingadmissionpolicies",
  bindings: "validatingadmissionpolicybindings",
  version: "v1",
  jsonPatch: false,
};

export const MUTATING_POLICIES: PolicyResources = {
  policies: "mutatingadmissionpolicies",
  bindings: "mutatingadmissionpolicybindings",
  version: "v1beta1",
  jsonPatch: true,
};

export class PolicySet<S extends PolicySpec> {
  readonly #policies: { values(): IterableIterator<ReadPolicy<S>> } | undefined;
  readonly #bindings: { values(): IterableIterator<Binding> } | undefined;
  #bound: readonly BoundPolicy<S>[] | undefined;

  constructor(parts: PluginParts, resources: PolicyResources) {
    const { names, mirrors } = parts;
    const group = names.group("admissionregistration");
    const onChange = () => {
      this.#bound = undefined;
    };
    this.#policies = mirrors.projected(group, resources.version, resources.policies, {
      project: (object) => readPolicy<S>(parts, object, resources.jsonPatch),
      onChange,
    });
    this.#bindings = mirrors.projected(group, resources.version, resources.bindings, {
      project: readBinding,
      onChange,
    });
  }

  /** By name; policies without a binding have no effect and are left out. */
  all(): readonly BoundPolicy<S>[] {
    this.#bound ??= this.#bind();
    return this.#bound;
  }

  #bind(): BoundPolicy<S>[] {
    const bindings = new Map<string, Binding[]>();
    for (const binding of this.#bindings?.values() ?? []) {
      const policy = binding.spec.policyName ?? "";
      bindings.set(policy, [...(bindings.get(policy) ?? []), binding]);
    }
    const bound: BoundPolicy<S>[] = [];
    for (const policy of this.#policies?.values() ?? []) {
      const own = bindings.get(policy.name);
      if (own !== undefined) bound.push({ ...policy, bindings: own.sort(byName) });
    }
    return bound.sort(byName);
  }
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

function readPolicy<S extends PolicySpec>(parts: PluginParts, object: ApiObject, jsonPatch: boolean): ReadPolicy<S> {
  const spec = (object["spec"] ?? {}) as S;
  const scope = {
    dialect: parts.names.dialect,
    minor: API_MINOR,
    params: spec.paramKind != null,
    authorizerSelectors: parts.gateEnabled("AuthorizeWithSelectors"),
  };
  return {
    name: object.metadata.name ?? "",
    spec,
    criteria: criteriaOf(spec.matchConstraints ?? {}),
    expressions: new MadeOnce(() => compilePolicy(scope, spec, jsonPatch)),
  };
}

function* compilePolicy(scope: PolicyScope, spec: PolicySpec, jsonPatch: boolean): Steps<PolicyExpressions> {
  const conditions = yield* compileConditions(policyEnvironment(scope), spec.matchConditions);
  const pace = compilingPace();
  const variables = spec.variables ?? [];
  const texts = [...mutationsOf(spec), ...variables.map(({ expression }) => expression)];
  const literals = jsonPatch ? { structs: policyLiterals(texts) } : {};
  const environment = yield* policyEnvironmentInSteps({ ...scope, jsonPatch, ...literals }, variables, pace);
  for (const [text, wanted] of judgingTexts(spec)) if (text) yield* environment.compileInSteps(text, wanted, pace);
  return { environment, conditions };
}

/** Everything but conditions and variables, with what it has to evaluate to. */
function* judgingTexts(spec: PolicySpec & JudgingTexts): Generator<[string | undefined, readonly CelType[]]> {
  for (const { expression, messageExpression } of spec.validations ?? []) {
    yield [expression, BOOLEAN];
    yield [messageExpression, TEXT];
  }
  for (const { valueExpression } of spec.auditAnnotations ?? []) yield [valueExpression, TEXT_OR_NULL];
  for (const text of mutationsOf(spec)) yield [text, ANY];
}

function mutationsOf(spec: PolicySpec & JudgingTexts): string[] {
  return (spec.mutations ?? []).map(
    ({ jsonPatch, applyConfiguration }) => (jsonPatch ?? applyConfiguration)?.expression ?? "",
  );
}

interface JudgingTexts {
  readonly validations?: readonly { readonly expression: string; readonly messageExpression?: string }[] | null;
  readonly auditAnnotations?: readonly { readonly valueExpression: string }[] | null;
  readonly mutations?: readonly MutationTexts[] | null;
}

interface MutationTexts {
  readonly jsonPatch?: { readonly expression?: string } | null;
  readonly applyConfiguration?: { readonly expression?: string } | null;
}

function readBinding(object: ApiObject): Binding {
  const spec = (object["spec"] ?? {}) as BindingSpec;
  return {
    name: object.metadata.name ?? "",
    spec,
    criteria: spec.matchResources == null ? undefined : criteriaOf(spec.matchResources),
  };
}

function criteriaOf(match: Matching): MatchCriteria {
  const { resourceRules, excludeResourceRules, matchPolicy, namespaceSelector, objectSelector } = match;
  return readCriteria({
    rules: resourceRules ?? [],
    excluded: excludeResourceRules ?? [],
    ...(matchPolicy == null ? {} : { matchPolicy }),
    namespaceSelector: namespaceSelector ?? {},
    objectSelector: objectSelector ?? {},
  });
}
