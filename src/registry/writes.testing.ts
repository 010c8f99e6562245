// For tests of the write path: all kinds over a store in memory, writes of one user, and a record of what admission saw.

import { FakeClock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { encodeJsonPlain } from "../codec/json.ts";
import { namesFor } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { AdmissionChain, type AdmissionPlugin, type AdmissionRequest } from "./admission.ts";
import { builtIn, testCatalog } from "./catalog.testing.ts";
import type { Catalog } from "./catalog.ts";
import { createObject } from "./create-object.ts";
import type { ServedResource } from "./served-resource.ts";
import type { WriteDeps, WriteRequest, Written } from "./write.ts";

export const START = "2030-01-01T00:00:00Z";

type Asked = Pick<AdmissionRequest, "operation" | "subresource" | "object" | "oldObject">;

export class TestWrites {
  readonly clock = new FakeClock(Date.parse(START));
  readonly engine = new MemoryEngine({ clock: this.clock });
  readonly catalog: Catalog = testCatalog(undefined, this.clock, this.engine);
  /** What plug-ins were asked, in order: copies, so that later stages do not change them. */
  readonly admitted: ({ readonly type: "mutate" | "validate" } & Asked)[] = [];
  /** Suffixes of generated names, in order; then counted. */
  suffixes: string[] = [];
  readonly deps: WriteDeps;
  #generated = 0;

  constructor(plugin: Pick<AdmissionPlugin, "mutate" | "validate"> = {}) {
    this.deps = {
      names: namesFor("kubernetes"),
      gateEnabled: () => true,
      clock: this.clock,
      admission: new AdmissionChain([
        { name: "test", handles: () => true, ...plugin },
        {
          name: "record",
          handles: () => true,
          mutate: (request) => this.#record("mutate", request),
          validate: (request) => this.#record("validate", request),
        },
      ]),
      randomSuffix: () => this.suffixes.shift() ?? `n${this.#generated++}`,
    };
  }

  resource(name: string, apiVersion = "v1"): ServedResource {
    return builtIn(this.catalog, apiVersion, name);
  }

  request(resource: ServedResource, more: Partial<WriteRequest> = {}): WriteRequest {
    return {
      resource,
      subresource: "",
      namespace: resource.kind.scope === "Namespaced" ? "default" : "",
      name: "",
      user: { name: "ann", groups: [] },
      dryRun: false,
      fieldManager: "test",
      options: {},
      warnings: [],
      auditAnnotations: new Map(),
      caller: { signal: new AbortController().signal, cancelled: false },
      ...more,
    };
  }

  /** Stores an object through all stages. */
  create(resource: ServedResource, body: JsonObject, more: Partial<WriteRequest> = {}): Promise<Written> {
    const { kind } = resource.kind;
    const bytes = encodeJsonPlain({ kind, apiVersion: resource.apiVersion, ...body });
    const incoming = { bytes, mediaType: "json", validation: "Strict" } as const;
    return createObject(this.deps, this.request(resource, more), incoming);
  }

  /** What the store holds under a name; undefined when nothing. */
  async stored(resource: ServedResource, name: string): Promise<ApiObject | undefined> {
    const store = resource.store!;
    const entry = await store.get(store.keyOf(resource.kind.scope === "Namespaced" ? "default" : "", name));
    return entry === undefined ? undefined : store.decode(entry);
  }

  async close(): Promise<void> {
    await this.catalog.close();
    await this.engine.close();
  }

  #record(type: "mutate" | "validate", { operation, subresource, object, oldObject }: AdmissionRequest): void {
    this.admitted.push(structuredClone({ type, operation, subresource, object, oldObject }));
  }
}

/** What a call fails with; fails itself when the call does not. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => Promise.reject(new Error("nothing failed")),
    (error: unknown) => error,
  );
}
