// The short form in which default roles are written down: words separated by blanks, groups by their key.
// `{certificates}` and `{signer}` stand for words that differ between the dialects.

import { ANY, makeRule, type Rule } from "../../../meta/access-rule.ts";
import type { GroupKey, Names } from "../../../meta/names.ts";

interface RuleDeclaration {
  readonly groups?: string;
  readonly resources?: string;
  readonly resourceNames?: string;
  readonly paths?: string;
  readonly verbs: string;
  /** Only with this feature gate. */
  readonly gate?: string;
}

export interface RoleDeclaration {
  readonly name: string;
  readonly rules?: readonly RuleDeclaration[];
  /** Its rules flow into admin, edit or view. */
  readonly extends?: "admin" | "edit" | "view";
  /** Takes its rules from those that extend it. */
  readonly collects?: "admin" | "edit" | "view";
  /** Which system namespace a Role lives in; undefined for ClusterRoles. */
  readonly namespace?: "system" | "public";
  readonly gate?: string;
}

interface SubjectDeclaration {
  readonly kind: "User" | "Group" | "ServiceAccount";
  readonly name: string;
}

export interface BindingDeclaration {
  readonly name: string;
  readonly role: string;
  readonly subjects: readonly SubjectDeclaration[];
  readonly namespace?: "system" | "public";
  readonly gate?: string;
}

export const READ = "get list watch";
export const WRITE = "create delete deletecollection patch update";
export const ALL = "create delete deletecollection get list patch update watch";

/** May do `verbs` with `resources` of `groups` (`core` is the group without a name), only those called `names` if given. */
export function on(groups: string, resources: string, verbs: string, resourceNames?: string): RuleDeclaration {
  return { groups, resources, verbs, ...(resourceNames === undefined ? {} : { resourceNames }) };
}

export const paths = (urls: string, verbs: string): RuleDeclaration => ({ paths: urls, verbs });

export const onlyWith = (gate: string, rule: RuleDeclaration): RuleDeclaration => ({ ...rule, gate });

/** What nearly every component does: says what happened. */
export const EVENTS = on("core events", "events", "create patch update");

export const user = (name: string): SubjectDeclaration => ({ kind: "User", name });
export const group = (name: string): SubjectDeclaration => ({ kind: "Group", name });
/** A service account of the system namespace. */
export const account = (name: string): SubjectDeclaration => ({ kind: "ServiceAccount", name });

export function expandRule(names: Names, declared: RuleDeclaration): Rule {
  return makeRule({
    verbs: words(declared.verbs),
    apiGroups: words(declared.groups).map((key) => expandGroup(names, key)),
    resources: words(declared.resources),
    resourceNames: words(declared.resourceNames).map((name) => expandName(names, name)),
    nonResourceURLs: words(declared.paths),
  });
}

export function expandName(names: Names, name: string): string {
  return name.replace("{certificates}", names.group("certificates")).replace("{signer}", names.certificateSignerDomain);
}

const words = (text: string | undefined): string[] => (text === undefined ? [] : text.split(" "));

function expandGroup(names: Names, key: string): string {
  switch (key) {
    case "core":
      return "";
    case ANY:
    // Served by nobody any more, but old clients still ask for it.
    case "extensions":
      return key;
    case "metrics":
      return names.metricsGroup;
    case "custom.metrics":
      return names.customMetricsGroup;
    case "external.metrics":
      return names.externalMetricsGroup;
    default:
      return names.group(key as GroupKey);
  }
}
