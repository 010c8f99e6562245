// Do some rules grant everything that others grant? What escalation prevention and reconciliation ask. Pure.
// Requirements: document 2, "Escalation prevention".
//
// A rule is a box: groups x resources x names x verbs, or paths x verbs. What a held rule covers is cut away from a wanted
// box, which leaves at most one box per axis, so that products of long lists are never written out:
//
//   wanted {pods, secrets} x {get, list}, held {pods} x {get, watch}:
//   left   {secrets} x {get, list}  and  {pods} x {list}

import { goQuote } from "../../base/go-quote.ts";
import { atOnce, Pace, type Steps } from "../../base/steps.ts";
import { ANY, makeRule, type Rule } from "../../meta/access-rule.ts";
import { pathCovers } from "../path-pattern.ts";
import { RULES_PER_STEP, weightOf } from "./rule-match.ts";

/** Steps that one question may take: some ten milliseconds, in turns. */
const MAX_STEPS = 400_000;

/** The rules are too many, or too crossed, to be compared. */
export class RuleCoverTooLarge extends Error {}

/** What of `wanted` no rule of `held` covers, as rules that do not overlap. Fails with RuleCoverTooLarge. */
export function uncoveredRules(held: readonly Rule[], wanted: readonly Rule[]): Rule[] {
  return atOnce(uncoveredInSteps(held, wanted));
}

/** The same where there may be very many. */
export function* uncoveredInSteps(held: readonly Rule[], wanted: readonly Rule[]): Steps<Rule[]> {
  const owners = new HeldRules();
  yield* owners.take(held, yield* wordsOf(wanted));
  const missing: Rule[] = [];
  for (const rule of wanted) {
    for (const box of resourceBoxes(rule)) {
      const left = yield* owners.cutFrom(box, RESOURCE_AXES, owners.forResources(rule.resources));
      for (const one of left) missing.push(one);
    }
    for (const box of pathBoxes(rule)) {
      for (const one of yield* owners.cutFrom(box, PATH_AXES, owners.forPaths)) missing.push(one);
    }
  }
  return missing;
}

/** What a held rule has to name to be of use. */
function* wordsOf(wanted: readonly Rule[]): Steps<ReadonlySet<string>> {
  const words = new Set([ANY]);
  const pace = new Pace(RULES_PER_STEP);
  for (const rule of wanted) {
    if (pace.due(weightOf(rule))) yield;
    for (const resource of rule.resources) words.add(resource).add(anySubresource(resource));
  }
  return words;
}

/**
 * Rules of one group, one resource and at most one name, with the verbs of each together, or of one path and one verb, for
 * people to read; no more than `limit`.
 */
export function singleThings(rules: readonly Rule[], limit = Number.POSITIVE_INFINITY): Rule[] {
  const byThing = new Map<string, Rule & { verbs: string[] }>();
  const add = (rule: Rule): boolean => {
    const { apiGroups, resources, resourceNames, nonResourceURLs, verbs } = rule;
    const isPath = nonResourceURLs.length > 0;
    const key = JSON.stringify(isPath ? [nonResourceURLs, verbs] : [apiGroups, resources, resourceNames]);
    const known = byThing.get(key);
    if (known === undefined) byThing.set(key, { ...rule, verbs: [...verbs] });
    else if (!isPath) for (const verb of verbs) known.verbs.push(verb);
    return byThing.size < limit;
  };
  for (const rule of rules) for (const thing of thingsOf(rule)) if (!add(thing)) return [...byThing.values()];
  return [...byThing.values()];
}

function* thingsOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): IterableIterator<Rule> {
  for (const group of apiGroups) {
    for (const resource of resources) {
      const thing = { apiGroups: [group], resources: [resource], verbs };
      if (resourceNames.length === 0) yield makeRule(thing);
      for (const name of resourceNames) yield makeRule({ ...thing, resourceNames: [name] });
    }
  }
  for (const url of nonResourceURLs)
    for (const verb of verbs) yield makeRule({ nonResourceURLs: [url], verbs: [verb] });
}

type Axis = keyof Rule;
/** Verbs last: then everything that is left of one thing stands in one box, in the order that it was wanted in. */
const RESOURCE_AXES: readonly Axis[] = ["resources", "apiGroups", "resourceNames", "verbs"];
const PATH_AXES: readonly Axis[] = ["nonResourceURLs", "verbs"];

/** Boxes of parts that are there at all: a rule without verbs grants nothing. */
function resourceBoxes({ verbs, apiGroups, resources, resourceNames }: Rule): Rule[] {
  const isEmpty = verbs.length === 0 || apiGroups.length === 0 || resources.length === 0;
  return isEmpty ? [] : [makeRule({ verbs, apiGroups, resources, resourceNames })];
}

function pathBoxes({ verbs, nonResourceURLs }: Rule): Rule[] {
  return verbs.length === 0 || nonResourceURLs.length === 0 ? [] : [makeRule({ verbs, nonResourceURLs })];
}

class Budget {
  #left = MAX_STEPS;

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new RuleCoverTooLarge("the rules are too many to be compared with those that are held");
  }
}

/** What somebody holds, found by the resource that it is about. */
class HeldRules {
  readonly forPaths: HeldRule[] = [];
  readonly #byResource = new Map<string, HeldRule[]>();
  readonly #budget = new Budget();
  readonly #pace = new Pace(RULES_PER_STEP);

  /** As many of the rules as name one of the words, or a path. */
  *take(rules: readonly Rule[], words: ReadonlySet<string>): Steps<void> {
    // Many roles have the same rules.
    const known = new Set<string>();
    for (const rule of rules) {
      if (this.#pace.due(weightOf(rule))) yield;
      if (rule.nonResourceURLs.length === 0 && !rule.resources.some((one) => words.has(one))) continue;
      // To be written down and kept takes some ten times as long as to be looked at.
      if (this.#pace.due(10 * weightOf(rule))) yield;
      const text = JSON.stringify(rule);
      if (known.has(text)) continue;
      known.add(text);
      this.#add(rule);
    }
  }

  #add(rule: Rule): void {
    const owner = new HeldRule(rule);
    if (rule.nonResourceURLs.length > 0) this.forPaths.push(owner);
    for (const resource of owner.resources) {
      const known = this.#byResource.get(resource);
      if (known === undefined) this.#byResource.set(resource, [owner]);
      else known.push(owner);
    }
  }

  forResources(resources: readonly string[]): Set<HeldRule> {
    const found = new Set(this.#byResource.get(ANY));
    for (const resource of resources) {
      for (const word of [resource, anySubresource(resource)]) {
        for (const owner of this.#byResource.get(word) ?? []) found.add(owner);
      }
    }
    this.#budget.spend(resources.length + found.size);
    return found;
  }

  /** What of the box none of the owners covers. */
  *cutFrom(box: Rule, axes: readonly Axis[], owners: Iterable<HeldRule>): Steps<Rule[]> {
    let left: Rule[] = [box];
    for (const owner of owners) {
      if (this.#pace.due(10 * left.length)) yield;
      const rest: Rule[] = [];
      for (const one of left) this.#cut(one, owner, axes, rest);
      left = rest;
      if (left.length === 0) break;
    }
    return left;
  }

  #cut(box: Rule, owner: HeldRule, axes: readonly Axis[], rest: Rule[]): void {
    const apart: Rule[] = [];
    let inside = box;
    for (const axis of axes) {
      this.#budget.spend(1 + inside[axis].length * owner.stepsFor(axis));
      const { covered, others } = owner.split(axis, inside[axis]);
      if (covered === undefined) {
        rest.push(box);
        return;
      }
      if (others.length > 0) apart.push({ ...inside, [axis]: others });
      inside = { ...inside, [axis]: covered };
    }
    for (const one of apart) rest.push(one);
  }
}

class HeldRule {
  readonly resources: ReadonlySet<string>;
  readonly #verbs: ReadonlySet<string>;
  readonly #groups: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #paths: readonly string[];

  constructor({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule) {
    this.resources = new Set(resources);
    this.#verbs = new Set(verbs);
    this.#groups = new Set(apiGroups);
    this.#names = new Set(resourceNames);
    this.#paths = nonResourceURLs;
  }

  stepsFor(axis: Axis): number {
    return axis === "nonResourceURLs" ? this.#paths.length : 1;
  }

  /** `covered` is undefined when nothing is. */
  split(axis: Axis, values: readonly string[]): { covered: readonly string[] | undefined; others: readonly string[] } {
    if (axis === "resourceNames" && values.length === 0) {
      // Every name: covered by every name alone.
      return { covered: this.#names.size === 0 ? values : undefined, others: [] };
    }
    const covered: string[] = [];
    const others: string[] = [];
    for (const value of values) (this.#has(axis, value) ? covered : others).push(value);
    return { covered: covered.length === 0 ? undefined : covered, others };
  }

  #has(axis: Axis, value: string): boolean {
    switch (axis) {
      case "verbs":
        return this.#verbs.has(ANY) || this.#verbs.has(value);
      case "apiGroups":
        return this.#groups.has(ANY) || this.#groups.has(value);
      case "resources":
        return this.resources.has(ANY) || this.resources.has(value) || this.resources.has(anySubresource(value));
      case "resourceNames":
        return this.#names.size === 0 || this.#names.has(value);
      case "nonResourceURLs":
        return this.#paths.some((pattern) => pathCovers(pattern, value));
    }
  }
}

/** `pods/log` is covered by a star before the slash. */
function anySubresource(resource: string): string {
  const slash = resource.indexOf("/");
  return slash < 0 ? resource : `${ANY}${resource.slice(slash)}`;
}

/** `{APIGroups:["" "apps"], Resources:["pods"], Verbs:["get"]}`. */
export function ruleText(rule: Rule): string {
  const parts: string[] = [];
  const add = (title: string, values: readonly string[]) => {
    if (values.length > 0) parts.push(`${title}:${quotedList(values)}`);
  };
  add("APIGroups", rule.apiGroups);
  add("Resources", rule.resources);
  add("NonResourceURLs", rule.nonResourceURLs);
  add("ResourceNames", rule.resourceNames);
  add("Verbs", rule.verbs);
  return `{${parts.join(", ")}}`;
}

export const quotedList = (values: readonly string[]): string => `[${values.map(goQuote).join(" ")}]`;
