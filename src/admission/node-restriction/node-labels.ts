// Which labels a node may give itself: none that would draw privileged workloads to it. Pure.
// Requirements: document 2, "Node authorizer".

import type { Names } from "../../meta/names.ts";

/** Labels that were set, changed or taken away and that the node must leave alone; sorted. */
export function forbiddenLabels(
  names: Names,
  labels: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): string[] {
  const keys = new Set([...Object.keys(labels), ...Object.keys(before)]);
  const value = (source: Readonly<Record<string, string>>, key: string) =>
    Object.hasOwn(source, key) ? source[key] : undefined;
  return [...keys].filter((key) => value(labels, key) !== value(before, key) && isForbidden(names, key)).sort();
}

function isForbidden(names: Names, key: string): boolean {
  const slash = key.indexOf("/");
  const domain = slash < 0 ? "" : key.slice(0, slash);
  if (isWithin(domain, names.nodeRestrictionDomain)) return true;
  return names.reservedDomains.some((reserved) => isWithin(domain, reserved)) && !isAgentLabel(names, key, domain);
}

function isAgentLabel(names: Names, key: string, domain: string): boolean {
  return names.nodeAgentLabels.includes(key) || names.nodeAgentLabelDomains.some((own) => isWithin(domain, own));
}

const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
