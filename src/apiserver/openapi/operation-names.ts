// The ids of operations, from which generated clients take the names of their methods: listCoreV1NamespacedPod.

import type { GroupKey, Names } from "../../meta/names.ts";

/** `CoreV1`, `AppsV1`, `RbacAuthorizationV1`, `ExampleComV1`. */
export function groupWord(key: GroupKey): string {
  return key === "" ? "Core" : key.split(/[.-]/).map(capitalized).join("");
}

export function groupVersionWord(key: GroupKey, version: string): string {
  return groupWord(key) + capitalized(version);
}

/** The tag of the operations of one version: core_v1, rbacAuthorization_v1. */
export function tagOf(key: GroupKey, version?: string): string {
  const word = groupWord(key);
  const group = word.charAt(0).toLowerCase() + word.slice(1);
  return version === undefined ? group : `${group}_${version}`;
}

/** The part of a group's name that clients name methods after: without the domain of the dialect. */
export function groupKeyOf(names: Names, group: string): GroupKey {
  const domain = names.group("networking").slice("networking".length);
  return (group.endsWith(domain) ? group.slice(0, -domain.length) : group) as GroupKey;
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
