// Does a request concern a webhook or a policy? Rules in any version of the resource, then the selectors.

import { Pace } from "../../base/steps.ts";
import { type LabelSelector, type LabelSelectorObject, selectorFromObject } from "../../meta/label-selector.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { AdmissionRequest, GroupVersionResource } from "../../registry/admission.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { isAboutNamespace } from "../match-request.ts";
import { findFresh, type Lookup } from "../mirrors.ts";
import type { NamespaceState } from "../namespace-lifecycle.ts";
import type { Equivalents } from "./equivalents.ts";
import { type Rule, ruleMatches } from "./rules.ts";
import { turnIfOver } from "./soon.ts";

export interface MatchCriteria {
  readonly rules: readonly Rule[];
  readonly excluded: readonly Rule[];
  readonly exact: boolean;
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
}

export interface MatchedRequest {
  /** The resource as the rule names it: another version than that of the request, where only that one is named. */
  readonly resource: GroupVersionResource;
  /** Undefined when it is the request's own. */
  readonly other: ServedResource | undefined;
}

/** The criteria of an object's matching fields; absent ones match everything. */
export function readCriteria(match: {
  readonly rules?: readonly Rule[] | null;
  readonly excluded?: readonly Rule[] | null;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelectorObject | null;
  readonly objectSelector?: LabelSelectorObject | null;
}): MatchCriteria {
  return {
    rules: match.rules ?? [],
    excluded: match.excluded ?? [],
    exact: match.matchPolicy === "Exact",
    namespaceSelector: selectorFromObject(match.namespaceSelector ?? {}),
    objectSelector: selectorFromObject(match.objectSelector ?? {}),
  };
}

interface MatcherParts {
  readonly names: Names;
  readonly namespaces: Lookup<NamespaceState>;
  readonly equivalents: Equivalents;
}

/** So many are tried in less than a millisecond. */
const RULES_PER_STEP = 1_000;

export class Matcher {
  readonly #parts: MatcherParts;
  readonly #pace = new Pace(RULES_PER_STEP);

  constructor(parts: MatcherParts) {
    this.#parts = parts;
  }

  /** `anyResource`: no rules mean every request, as in the bindings of policies. */
  async match(
    request: AdmissionRequest,
    criteria: MatchCriteria,
    anyResource = false,
  ): Promise<MatchedRequest | undefined> {
    const { rules, excluded } = criteria;
    // One request may be asked about by very many, one after the other.
    if (this.#pace.due(1 + rules.length + excluded.length)) await turnIfOver(request);
    const matched = this.#matchRules(request, criteria, anyResource);
    if (matched === undefined) return undefined;
    if (!objectMatches(criteria.objectSelector, request)) return undefined;
    return (await this.#namespaceMatches(criteria.namespaceSelector, request)) ? matched : undefined;
  }

  #matchRules(request: AdmissionRequest, criteria: MatchCriteria, anyResource: boolean): MatchedRequest | undefined {
    if (this.#find(request, criteria.excluded, criteria.exact) !== undefined) return undefined;
    if (anyResource && criteria.rules.length === 0) return { resource: request.resource, other: undefined };
    return this.#find(request, criteria.rules, criteria.exact);
  }

  #find(request: AdmissionRequest, rules: readonly Rule[], exact: boolean): MatchedRequest | undefined {
    if (rules.length === 0) return undefined;
    if (rules.some((rule) => ruleMatches(rule, request))) return { resource: request.resource, other: undefined };
    if (exact) return undefined;
    for (const other of this.#parts.equivalents.of(request.resource)) {
      const resource = { group: other.group, version: other.kind.version, resource: other.kind.resource };
      if (rules.some((rule) => ruleMatches(rule, { ...request, resource }))) return { resource, other };
    }
    return undefined;
  }

  async #namespaceMatches(selector: LabelSelector, request: AdmissionRequest): Promise<boolean> {
    if (selector.requirements.length === 0 && selector.matches({})) return true;
    const { subresource, namespace, object, oldObject } = request;
    if (isAboutNamespace(request)) {
      // Labels that come with a part of it are not stored.
      const labelled = subresource === "" ? (object ?? oldObject) : (oldObject ?? object);
      return selector.matches(labelled?.metadata.labels ?? {});
    }
    if (namespace === "") return true;
    const state = await findFresh(this.#parts.namespaces, "", namespace);
    return state !== undefined && selector.matches(state.labels);
  }
}

function objectMatches(selector: LabelSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.requirements.length === 0 && selector.matches({})) return true;
  const labelled = (one: ApiObject | undefined) =>
    one?.metadata !== undefined && selector.matches(one.metadata.labels ?? {});
  return labelled(object) || labelled(oldObject);
}

const CONFIGURATION: ReadonlySet<string> = new Set([
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

/** What configures admission is exempt from it: a webhook that refuses everything could never be removed otherwise. */
export function isAdmissionConfiguration(names: Names, { resource }: AdmissionRequest): boolean {
  return resource.group === names.group("admissionregistration") && CONFIGURATION.has(resource.resource);
}
