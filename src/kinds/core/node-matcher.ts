// Node selectors of pods and volumes, read once and asked of many nodes. Pure.

import { type LabelRequirement, matcherOf } from "../../meta/label-requirements.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "./node-selector.ts";

/** What a selector looks at. */
interface SelectableNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface NodeMatcher {
  matches(node: SelectableNode): boolean;
  /** Only these nodes can match, where the selector names them. */
  readonly names?: ReadonlySet<string> | undefined;
}

/** One of the terms must match; without terms no node does. Throws on what is no selector. */
export function nodeSelectorMatcher(terms: readonly NodeSelectorTerm[]): NodeMatcher {
  const matchers = terms.map(nodeTermMatcher);
  const names = namesOf(matchers);
  return { matches: (node) => matchers.some((each) => each.matches(node)), ...(names === undefined ? {} : { names }) };
}

/** All requirements must hold; a term without any matches no node. */
export function nodeTermMatcher({ matchExpressions, matchFields }: NodeSelectorTerm): NodeMatcher {
  const expressions = matchExpressions ?? [];
  const fields = matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return { matches: () => false, names: new Set() };
  const labelsMatch = matcherOf(expressions.map(requirementOf));
  if (fields.length === 0) return { matches: ({ labels }) => labelsMatch(labels) };
  const fieldsMatch = matcherOf(fields.map(requirementOf));
  const named = fields.find(({ key, operator }) => key === NAME_FIELD && operator === "In");
  return {
    matches: ({ name, labels }) => fieldsMatch({ [NAME_FIELD]: name }) && labelsMatch(labels),
    ...(named === undefined ? {} : { names: new Set(named.values) }),
  };
}

const NAME_FIELD = "metadata.name";

function namesOf(matchers: readonly NodeMatcher[]): ReadonlySet<string> | undefined {
  const all = new Set<string>();
  for (const { names } of matchers) {
    if (names === undefined) return undefined;
    for (const name of names) all.add(name);
  }
  return all;
}

function requirementOf({ key, operator, values }: NodeSelectorRequirement): LabelRequirement {
  return { key, operator: OPERATORS[operator], values: values ?? [] };
}

const OPERATORS = { In: "in", NotIn: "notin", Exists: "exists", DoesNotExist: "!", Gt: ">", Lt: "<" } as const;
