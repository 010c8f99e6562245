// The other versions in which a resource is served, and objects said in them.

import type { ApiObject } from "../../meta/object.ts";
import type { GroupVersionResource } from "../../registry/admission.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { ObjectStore } from "../../registry/object-store.ts";
import type { ServedResource } from "../../registry/served-resource.ts";

export class Equivalents {
  readonly #catalog: Catalog;
  /** By the store that they share; emptied when what is served changes. */
  readonly #known = new Map<ObjectStore, readonly ServedResource[]>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    catalog.onChange(() => this.#known.clear());
  }

  /** Every other way to say the same resource. */
  of({ group, version, resource }: GroupVersionResource): readonly ServedResource[] {
    const served = this.#catalog.find(group, version, resource);
    if (served?.store === undefined) return [];
    let all = this.#known.get(served.store);
    if (all === undefined) {
      all = this.#catalog.sharing(served);
      this.#known.set(served.store, all);
    }
    return all.filter((other) => other !== served);
  }

  find({ group, version, resource }: GroupVersionResource): ServedResource | undefined {
    return this.#catalog.find(group, version, resource);
  }

  async convert(
    object: ApiObject | undefined,
    from: GroupVersionResource,
    to: ServedResource,
  ): Promise<ApiObject | undefined> {
    const served = this.find(from);
    if (object === undefined || served === undefined || served === to) return object;
    // The body of an operation is the same in every version of the resource.
    if (object.kind !== served.kind.kind) return object;
    // Nothing is lost of a custom object, whatever the other version knows of it: it may come back changed.
    if (served.custom === true) {
      await to.ready?.();
      return served.versionAt!(to.apiVersion)!.convert(object);
    }
    const [converted] = await to.fromStored([await served.toStored(object)]);
    return converted;
  }
}
