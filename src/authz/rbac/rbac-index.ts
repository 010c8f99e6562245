// Roles and bindings, indexed by whom they concern: what a user may do is found without looking at anyone else's bindings.
//
// After RoleBinding a/rb (Role r to User u and Group g) and ClusterRoleBinding cb (ClusterRole c to Group g):
//   namespaces: "a" -> "user u"  -> "Role a/r"      -> [rb for User u]
//                      "group g" -> "Role a/r"      -> [rb for Group g]
//   cluster:           "group g" -> "ClusterRole c" -> [cb for Group g]
// Several bindings of one subject to one role stand together, so that the role's rules are tried once. Whoever has one grant
// only, as most of the subjects of a long binding have, stands there with it, without maps: they take most of the time.

import type { Rule } from "../../meta/access-rule.ts";
import { serviceAccountUser } from "../../meta/service-account-user.ts";
import type { UserInfo } from "../../meta/user.ts";
import { weightOf } from "./rule-match.ts";

export interface SubjectRef {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

/** What is kept of a RoleBinding (with a namespace) or a ClusterRoleBinding (without). */
export interface Binding {
  readonly name: string;
  /** Empty for ClusterRoleBindings. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly SubjectRef[];
}

/** What is kept of a Role (with a namespace) or a ClusterRole (without). */
export interface Role {
  readonly name: string;
  readonly namespace: string;
  readonly rules: readonly Rule[];
}

export interface Grant {
  readonly binding: Binding;
  readonly subject: SubjectRef;
  /** The key of what it grants. */
  readonly role: string;
}

/** A role that is granted to a user. `role` is undefined when the binding names one that does not exist. */
export interface GrantedRole {
  readonly role: Role | undefined;
  readonly grant: Grant;
  /** As how many short rules it counts. */
  readonly weight: number;
}

interface WeighedRole {
  readonly role: Role;
  readonly weight: number;
}

type GrantsByRole = Map<string, Map<Binding, Grant>>;
type GrantsBySubject = Map<string, Grant | GrantsByRole>;

export class RbacIndex {
  readonly #roles = new Map<string, WeighedRole>();
  readonly #cluster: GrantsBySubject = new Map();
  readonly #namespaces = new Map<string, GrantsBySubject>();

  setRole(now: Role | undefined, before: Role | undefined): void {
    if (now !== undefined) this.#roles.set(roleKey(now), { role: now, weight: weightOfAll(now.rules) });
    else if (before !== undefined) this.#roles.delete(roleKey(before));
  }

  setBinding(now: Binding | undefined, before: Binding | undefined): void {
    if (before !== undefined) this.#remove(before);
    if (now !== undefined) this.#add(now);
  }

  role(ref: RoleRef, namespace: string): Role | undefined {
    return this.#roles.get(refKey(ref, namespace))?.role;
  }

  /** The roles that a user holds in a namespace; only cluster-wide ones when it is empty. */
  *rolesOf(user: UserInfo, namespace: string): IterableIterator<GrantedRole> {
    yield* this.#rolesIn(this.#cluster, user);
    if (namespace === "") return;
    const scope = this.#namespaces.get(namespace);
    if (scope !== undefined) yield* this.#rolesIn(scope, user);
  }

  /** The roles that a user holds in namespaces other than the one given, with those namespaces. Looks at every namespace. */
  *rolesElsewhere(user: UserInfo, namespace: string): IterableIterator<GrantedRole> {
    for (const [other, scope] of this.#namespaces) if (other !== namespace) yield* this.#rolesIn(scope, user);
  }

  /** Every grant that has effect in a namespace, whoever holds it. Looks at all of them. */
  *grantsIn(namespace: string): IterableIterator<GrantedRole> {
    yield* this.#grantsOf(this.#cluster);
    const scope = this.#namespaces.get(namespace);
    if (scope !== undefined) yield* this.#grantsOf(scope);
  }

  /** Every role that could be bound in a namespace. */
  *rolesFor(namespace: string): IterableIterator<Role> {
    for (const { role } of this.#roles.values()) if (role.namespace === "" || role.namespace === namespace) yield role;
  }

  *#grantsOf(scope: GrantsBySubject): IterableIterator<GrantedRole> {
    for (const held of scope.values()) {
      if (!(held instanceof Map)) yield this.#grantedBy(held);
      else for (const grants of held.values()) for (const grant of grants.values()) yield this.#grantedBy(grant);
    }
  }

  *#rolesIn(scope: GrantsBySubject, user: UserInfo): IterableIterator<GrantedRole> {
    if (scope.size === 0) return;
    const own = scope.get(userKey(user.name));
    if (own !== undefined) yield* this.#granted(own);
    for (const group of user.groups) {
      const shared = scope.get(groupKey(group));
      if (shared !== undefined) yield* this.#granted(shared);
    }
  }

  /** Each role once, by the first of the bindings to it. */
  *#granted(held: Grant | GrantsByRole): IterableIterator<GrantedRole> {
    if (!(held instanceof Map)) {
      yield this.#grantedBy(held);
      return;
    }
    for (const grants of held.values()) {
      const [grant] = grants.values();
      yield this.#grantedBy(grant!);
    }
  }

  #grantedBy(grant: Grant): GrantedRole {
    const known = this.#roles.get(grant.role);
    return { role: known?.role, grant, weight: known?.weight ?? 1 };
  }

  #add(binding: Binding): void {
    const scope = this.#scopeOf(binding, true)!;
    const role = refKey(binding.roleRef, binding.namespace);
    for (const subject of binding.subjects) {
      const key = subjectKey(subject, binding.namespace);
      if (key === undefined) continue;
      const grant: Grant = { binding, subject, role };
      const held = scope.get(key);
      if (held === undefined) scope.set(key, grant);
      else if (held instanceof Map) addGrant(held, grant);
      else {
        const byRole: GrantsByRole = new Map();
        addGrant(byRole, held);
        addGrant(byRole, grant);
        scope.set(key, byRole);
      }
    }
  }

  #remove(binding: Binding): void {
    const scope = this.#scopeOf(binding, false);
    if (scope === undefined) return;
    const role = refKey(binding.roleRef, binding.namespace);
    for (const subject of binding.subjects) {
      const key = subjectKey(subject, binding.namespace);
      const held = key === undefined ? undefined : scope.get(key);
      if (key === undefined || held === undefined) continue;
      if (!(held instanceof Map)) {
        if (held.binding === binding) scope.delete(key);
        continue;
      }
      const grants = held.get(role);
      grants?.delete(binding);
      if (grants === undefined || grants.size === 0) held.delete(role);
      if (held.size === 0) scope.delete(key);
    }
    if (scope.size === 0) this.#namespaces.delete(binding.namespace);
  }

  #scopeOf({ namespace }: Binding, make: boolean): GrantsBySubject | undefined {
    if (namespace === "") return this.#cluster;
    const scope = this.#namespaces.get(namespace) ?? (make ? new Map() : undefined);
    if (scope !== undefined) this.#namespaces.set(namespace, scope);
    return scope;
  }
}

const weightOfAll = (rules: readonly Rule[]): number => rules.reduce((sum, rule) => sum + weightOf(rule), 1);

function addGrant(byRole: GrantsByRole, grant: Grant): void {
  const grants = byRole.get(grant.role) ?? new Map<Binding, Grant>();
  byRole.set(grant.role, grants);
  // A subject may stand in a binding twice.
  if (!grants.has(grant.binding)) grants.set(grant.binding, grant);
}

const userKey = (name: string): string => `user ${name}`;
const groupKey = (name: string): string => `group ${name}`;

/** Subjects match case-sensitively. A service account is the user of that name; in a RoleBinding its namespace may be left away. */
function subjectKey({ kind, name, namespace }: SubjectRef, bindingNamespace: string): string | undefined {
  switch (kind) {
    case "User":
      return userKey(name);
    case "Group":
      return groupKey(name);
    case "ServiceAccount": {
      const where = namespace === "" ? bindingNamespace : namespace;
      return where === "" ? undefined : userKey(serviceAccountUser({ namespace: where, name }));
    }
    default:
      return undefined;
  }
}

function roleKey({ namespace, name }: Role): string {
  return namespace === "" ? `ClusterRole ${name}` : `Role ${namespace}/${name}`;
}

function refKey({ kind, name }: RoleRef, namespace: string): string {
  return kind === "ClusterRole" ? `ClusterRole ${name}` : `${kind} ${namespace}/${name}`;
}
