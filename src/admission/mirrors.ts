// The live copies that plug-ins look things up in: each resource once, loaded before the first request.

import type { ApiObject } from "../meta/object.ts";
import type { Catalog } from "../registry/catalog.ts";
import { type MirrorOptions, ObjectMirror } from "../registry/object-mirror.ts";

export class Mirrors {
  readonly #catalog: Catalog;
  readonly #whole = new Map<string, ObjectMirror>();
  readonly #all: ObjectMirror<unknown>[] = [];

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Whole objects of a resource, in their stored form; undefined when it is not served. */
  of<T = ApiObject>(group: string, version: string, resource: string): Lookup<T> | undefined {
    const key = `${group}/${version}/${resource}`;
    let mirror = this.#whole.get(key);
    if (mirror === undefined) {
      mirror = this.projected<ApiObject>(group, version, resource, {});
      if (mirror === undefined) return undefined;
      this.#whole.set(key, mirror);
    }
    return mirror as unknown as Lookup<T>;
  }

  /** A mirror of one's own that keeps only a part of each object, or hears of changes. */
  projected<P>(
    group: string,
    version: string,
    resource: string,
    options: MirrorOptions<P>,
  ): ObjectMirror<P> | undefined {
    const store = this.#catalog.own(group, version, resource)?.store;
    if (store === undefined) return undefined;
    const mirror = new ObjectMirror<P>(store, options);
    this.#all.push(mirror as ObjectMirror<unknown>);
    return mirror;
  }

  async start(): Promise<void> {
    await Promise.all(this.#all.map((mirror) => mirror.ready()));
  }

  close(): void {
    for (const mirror of this.#all) mirror.close();
  }
}

/** As much of a mirror as a plug-in needs. */
export interface Lookup<T> {
  get(namespace: string, name: string): T | undefined;
  values(namespace?: string): IterableIterator<T>;
  sync(): Promise<void>;
}

/** The object, after a second look when it is missing: it may have been created on another server a moment ago. */
export function findFresh<T>(
  lookup: Lookup<T> | undefined,
  namespace: string,
  name: string,
): T | undefined | Promise<T | undefined> {
  if (lookup === undefined) return undefined;
  return lookup.get(namespace, name) ?? lookup.sync().then(() => lookup.get(namespace, name));
}
