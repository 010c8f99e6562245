// The roles and bindings of the cluster as evaluation needs them, kept up to date by watching.

import type { Log } from "../../base/log.ts";
import { rulesOf } from "../../meta/access-rule.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ObjectMirror } from "../../registry/object-mirror.ts";
import type { ObjectStore } from "../../registry/object-store.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { type Binding, RbacIndex, type Role, type SubjectRef } from "./rbac-index.ts";

export type RbacResource = "roles" | "clusterroles" | "rolebindings" | "clusterrolebindings";

export class RbacState {
  readonly index = new RbacIndex();
  /** Whole objects: aggregation looks at their labels and writes them. */
  readonly clusterRoles: ObjectMirror<ApiObject>;
  readonly #mirrors: readonly Pick<ObjectMirror, "ready" | "sync" | "close">[];
  readonly #resources: ReadonlyMap<RbacResource, ServedResource>;

  constructor(names: Names, catalog: Catalog, log: Log) {
    const group = names.group("rbac.authorization");
    this.#resources = new Map(
      (["roles", "clusterroles", "rolebindings", "clusterrolebindings"] as const).map((name) => [
        name,
        catalog.own(group, "v1", name)!,
      ]),
    );
    const warn = (message: string, error: unknown) => log.warn({ err: error }, message);
    this.clusterRoles = new ObjectMirror(this.#storeOf("clusterroles"), {
      log: warn,
      onChange: (_key, now, before) => this.index.setRole(now && roleOf(now), before && roleOf(before)),
    });
    const roles = new ObjectMirror<Role>(this.#storeOf("roles"), {
      log: warn,
      project: roleOf,
      onChange: (_key, now, before) => this.index.setRole(now, before),
    });
    const bindings = (resource: RbacResource) =>
      new ObjectMirror<Binding>(this.#storeOf(resource), {
        log: warn,
        project: bindingOf,
        onChange: (_key, now, before) => this.index.setBinding(now, before),
      });
    this.#mirrors = [this.clusterRoles, roles, bindings("rolebindings"), bindings("clusterrolebindings")];
  }

  resource(name: RbacResource): ServedResource {
    return this.#resources.get(name)!;
  }

  async ready(): Promise<void> {
    await Promise.all(this.#mirrors.map((mirror) => mirror.ready()));
  }

  /** Resolves when everything that was committed before this call is known here. */
  async sync(): Promise<void> {
    await Promise.all(this.#mirrors.map((mirror) => mirror.sync()));
  }

  close(): void {
    for (const mirror of this.#mirrors) mirror.close();
  }

  #storeOf(name: RbacResource): ObjectStore {
    return this.resource(name).store!;
  }
}

function roleOf(object: ApiObject): Role {
  return { name: object.metadata.name ?? "", namespace: object.metadata.namespace ?? "", rules: rulesOf(object) };
}

function bindingOf(object: ApiObject): Binding {
  const { kind = "", name = "" } = (object["roleRef"] ?? {}) as { kind?: string; name?: string };
  const subjects = (object["subjects"] ?? []) as Partial<SubjectRef>[];
  return {
    name: object.metadata.name ?? "",
    namespace: object.metadata.namespace ?? "",
    roleRef: { kind, name },
    subjects: subjects.map((subject) => ({
      kind: subject.kind ?? "",
      name: subject.name ?? "",
      namespace: subject.namespace ?? "",
    })),
  };
}
