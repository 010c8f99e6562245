// Do some rules grant everything that others grant? What escalation prevention and reconciliation ask. Pure.
// Requirements: document 2, "Escalation prevention".

import { append } from "../../base/append.ts";
import { goQuote } from "../../base/go-quote.ts";
import { ANY, makeRule, type Rule } from "../../registry/access-rule.ts";
import { pathCovers } from "../path-pattern.ts";

/** The smallest parts of `wanted` that no single rule of `held` covers; empty when all are covered. */
export function uncoveredRules(held: readonly Rule[], wanted: readonly Rule[]): Rule[] {
  const missing: Rule[] = [];
  for (const rule of wanted) {
    if (held.some((owner) => covers(owner, rule))) continue;
    for (const part of breakDown(rule)) if (!held.some((owner) => covers(owner, part))) missing.push(part);
  }
  return missing;
}

/** Parts with one verb, one group, one resource and at most one name, or one path. */
export function breakDown({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): Rule[] {
  const parts: Rule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) parts.push(makeRule(part));
        for (const name of resourceNames) parts.push(makeRule({ ...part, resourceNames: [name] }));
      }
    }
  }
  for (const url of nonResourceURLs)
    for (const verb of verbs) parts.push(makeRule({ nonResourceURLs: [url], verbs: [verb] }));
  return parts;
}

export function covers(owner: Rule, wanted: Rule): boolean {
  return (
    hasAll(owner.verbs, wanted.verbs) &&
    hasAll(owner.apiGroups, wanted.apiGroups) &&
    resourcesCover(owner.resources, wanted.resources) &&
    namesCover(owner.resourceNames, wanted.resourceNames) &&
    wanted.nonResourceURLs.every((path) => owner.nonResourceURLs.some((pattern) => pathCovers(pattern, path)))
  );
}

function hasAll(held: readonly string[], wanted: readonly string[]): boolean {
  return held.includes(ANY) || wanted.every((one) => held.includes(one));
}

function resourcesCover(held: readonly string[], wanted: readonly string[]): boolean {
  if (hasAll(held, wanted)) return true;
  return wanted.every((resource) => {
    if (held.includes(resource)) return true;
    const slash = resource.indexOf("/");
    return slash >= 0 && held.includes(`${ANY}${resource.slice(slash)}`);
  });
}

function namesCover(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => held.includes(name));
}

/** Joins the verbs of parts that are about the same thing; the opposite of breaking down, for people to read. */
export function compactRules(rules: readonly Rule[]): Rule[] {
  const byThing = new Map<string, { rule: Rule; verbs: string[] }>();
  const others: Rule[] = [];
  for (const rule of rules) {
    const { apiGroups, resources, resourceNames, nonResourceURLs, verbs } = rule;
    if (apiGroups.length !== 1 || resources.length !== 1 || resourceNames.length > 1 || nonResourceURLs.length > 0) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const known = byThing.get(key);
    if (known === undefined) byThing.set(key, { rule, verbs: [...verbs] });
    else append(known.verbs, verbs);
  }
  return [...Array.from(byThing.values(), ({ rule, verbs }) => ({ ...rule, verbs })), ...others];
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
