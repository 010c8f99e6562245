// The columns of role bindings, of one namespace and of all.

import type { ObjectMeta } from "../../meta/object.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import type { Column } from "../define-kind.ts";
import type { RoleRef, Subject } from "./subject.ts";

interface Binding {
  metadata: ObjectMeta;
  subjects?: Subject[];
  roleRef: RoleRef;
}

export function bindingColumns<T extends Binding>(): Column<T>[] {
  const subjects = (name: string, kind: string, text: (subject: Subject) => string): Column<T> => ({
    name,
    type: "string",
    priority: 1,
    cell: (binding) =>
      (binding.subjects ?? [])
        .filter((subject) => subject.kind === kind)
        .map(text)
        .join(", "),
  });
  return [
    NAME_COLUMN,
    { name: "Role", type: "string", cell: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}` },
    AGE_COLUMN,
    subjects("Users", "User", ({ name }) => name),
    subjects("Groups", "Group", ({ name }) => name),
    subjects("ServiceAccounts", "ServiceAccount", ({ namespace, name }) => `${namespace ?? ""}/${name}`),
  ];
}
