// Defaults of role bindings: the group of what they name.

import type { HookContext } from "../define-kind.ts";
import type { RoleRef, Subject } from "./subject.ts";

export function defaultBinding(binding: { subjects?: Subject[]; roleRef: RoleRef }, { names }: HookContext): void {
  const group = names.group("rbac.authorization");
  binding.roleRef.apiGroup ||= group;
  for (const subject of binding.subjects ?? []) {
    // Service accounts are of the core group, whose name is empty.
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= group;
  }
}
