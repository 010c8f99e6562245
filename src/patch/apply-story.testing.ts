// For tests: a small language of writes to one object, and what stands in it and who owns it afterwards.
//
//   story(schema).apply("a", { data: { x: "1" } }).update("u", { data: { x: "2" } }).owners()
//   -> { "a": "", "u Update": ".data.x" }

import { cloneJson, type JsonObject } from "../base/json.ts";
import type { ApiObject, ManagedFieldsEntry } from "../meta/object.ts";
import { opt, ptr, s } from "../schema/builder.ts";
import type { StructSchema } from "../schema/schema.ts";
import { type ApplyInput, applyIntent } from "./apply.ts";
import { applyConflictError } from "./apply-conflict.ts";
import { decodeFieldSet } from "./fields-v1.ts";
import { listPaths } from "./list-paths.testing.ts";
import { pathText } from "./path-element.ts";
import { trackUpdate, type UpdateInput } from "./track-update.ts";

type Body = JsonObject & { metadata?: JsonObject };
type Options = Partial<Omit<ApplyInput & UpdateInput, "live" | "intent" | "updated" | "manager">>;

export const meta = s.struct("test.v1.Meta", () => ({
  name: opt.string(1),
  namespace: opt.string(2),
  uid: opt.string(3),
  resourceVersion: opt.string(4),
  labels: opt.map("string", 5),
  annotations: opt.map("string", 6),
  finalizers: opt.set("string", 7),
}));

const nested = s.struct("test.v1.Nested", () => ({
  name: s.string(1),
  value: opt.string(2),
}));

const item = s.struct("test.v1.Item", () => ({
  name: s.string(1),
  image: opt.string(2),
  policy: opt.string(3),
  args: opt.list("string", 4),
  env: opt.list(nested, 5, undefined, { patchStrategy: ["merge"], patchMergeKey: "name" }),
}));

const port = s.struct("test.v1.Port", () => ({
  port: s.int32(1),
  protocol: opt.string(2, undefined, { default: "TCP" }),
  target: opt.int32(3),
}));

const spec = s.struct("test.v1.Spec", () => ({
  replicas: ptr.int32(1),
  items: opt.list(item, 2, undefined, { listType: "map", mapKeys: ["name"] }),
  ports: opt.list(port, 3, undefined, { listType: "map", mapKeys: ["port", "protocol"] }),
  selector: opt.map("string", 4, undefined, { mapType: "atomic" }),
  merged: opt.list("string", 5, undefined, { patchStrategy: ["merge"] }),
  list: opt.list("string", 6),
  raw: ptr.any("rawExtension", 7),
}));

/** A kind with one of everything: maps, sets, keyed lists, nested ones, atomic parts. */
export const thing = s.struct("test.v1.Thing", () => ({
  apiVersion: opt.string(),
  kind: opt.string(),
  metadata: s.of(meta, 1),
  data: opt.map("string", 2),
  spec: opt.of(spec, 3),
  status: ptr.of(nested, 4),
}));

export const story = (schema: StructSchema, options: Options = {}): Story => new Story(schema, options);

class Story {
  object: ApiObject | undefined;
  /** The message of the last apply when it conflicted. */
  conflict: string | undefined;
  /** Whether the last apply changed anything but ownership. */
  changed = false;
  #minute = 0;
  #schema: StructSchema;
  readonly #options: Options;

  constructor(schema: StructSchema, options: Options) {
    this.#schema = schema;
    this.#options = options;
  }

  apply(manager: string, intent: Body, options: Options = {}): this {
    const result = applyIntent({
      ...this.#context(options),
      live: this.object,
      intent: identified(intent),
      manager,
      force: options.force ?? false,
    });
    this.conflict = result.conflicts && applyConflictError(result.conflicts).message;
    if (result.conflicts === undefined) {
      this.object = result.object;
      this.changed = result.changed;
    }
    return this;
  }

  force(manager: string, intent: Body): this {
    return this.apply(manager, intent, { force: true });
  }

  /** Stores the body as the whole object, as PUT does. */
  update(manager: string, body: Body, options: Options = {}): this {
    const updated = identified(body, this.object?.metadata.managedFields);
    const managedFields = trackUpdate({
      resetRule: "document",
      ...this.#context(options),
      live: this.object,
      updated,
      manager,
    });
    const { managedFields: _sent, ...metadata } = updated.metadata;
    this.object = { ...updated, metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) } };
    return this;
  }

  /** From now on the object has another schema. */
  schema(schema: StructSchema): this {
    this.#schema = schema;
    return this;
  }

  /** The object without what identifies it. */
  body(): JsonObject {
    const { apiVersion: _version, kind: _kind, metadata, ...rest } = cloneJson(this.object!) as unknown as Body;
    const { name: _name, managedFields: _fields, ...others } = metadata ?? {};
    return Object.keys(others).length === 0 ? rest : { ...rest, metadata: others };
  }

  entries(): readonly ManagedFieldsEntry[] {
    return this.object?.metadata.managedFields ?? [];
  }

  /** By manager (with operation, when it is not Apply, and sub-resource), the paths it owns. */
  owners(): Record<string, string> {
    return Object.fromEntries(
      this.entries().map((entry) => [
        [entry.manager, entry.operation === "Apply" ? undefined : entry.operation, entry.subresource]
          .filter(Boolean)
          .join(" "),
        listPaths(decodeFieldSet(entry.fieldsV1)).map(pathText).join(" "),
      ]),
    );
  }

  #context(options: Options) {
    this.#minute++;
    const now = `2026-01-01T00:${String(this.#minute).padStart(2, "0")}:00Z`;
    return { schema: this.#schema, apiVersion: "v1", kind: "Thing", now, ...this.#options, ...options };
  }
}

function identified(body: Body, managedFields?: ManagedFieldsEntry[]): ApiObject {
  const fields = managedFields === undefined ? {} : { managedFields };
  return {
    apiVersion: "v1",
    kind: "Thing",
    ...body,
    metadata: { name: "thing", ...fields, ...body.metadata },
  } as ApiObject;
}
