// Collects the definitions of structs and of all that they contain. What differs between the two versions of OpenAPI is
// a flavour: openapi-v2.ts and openapi-v3.ts.

import type { Json, JsonObject } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import type { Names } from "../meta/names.ts";
import type { GroupVersionKind } from "../meta/object.ts";
import { componentName, WELL_KNOWN } from "./openapi-names.ts";
import type { AnySchema, Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from "./schema.ts";
import { sortedKeys } from "./sorted-keys.ts";

export interface DefinitionOptions {
  readonly names: Names;
  /** The kinds that a struct is, by its name: x-kubernetes-group-version-kind. */
  readonly kindsOf?: (structName: string) => readonly GroupVersionKind[];
}

export type Definitions = Record<string, JsonObject>;

export interface Flavour {
  /** A reference with markers of its own beside it. */
  reference(name: string, markers: JsonObject): JsonObject;
  /** Whether defaults are published. */
  readonly defaults: boolean;
  /** Definitions of the types that are no structs, by the names of WELL_KNOWN. */
  readonly wellKnown: Readonly<Record<keyof typeof WELL_KNOWN, JsonObject>>;
}

/** The definitions of the structs and of every named type they reach, by name, in the order of names; a step for each. */
export function collectDefinitions(
  structs: Iterable<StructSchema>,
  options: DefinitionOptions,
  flavour: Flavour,
): Steps<Definitions> {
  const collector = new Collector(options, flavour);
  for (const struct of structs) collector.addStruct(struct);
  return collector.finish();
}

class Collector {
  readonly #options: DefinitionOptions;
  readonly #flavour: Flavour;
  readonly #found = new Map<string, JsonObject>();
  // Structs wait here instead of being visited at once: types contain each other to any depth.
  readonly #waiting: { name: string; struct: StructSchema }[] = [];

  constructor(options: DefinitionOptions, flavour: Flavour) {
    this.#options = options;
    this.#flavour = flavour;
  }

  addStruct(struct: StructSchema): void {
    this.#referTo(struct, struct.name ?? "");
  }

  *finish(): Steps<Definitions> {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.#found.set(next.name, this.#define(next.struct));
      yield;
    }
    const sorted: Definitions = {};
    for (const name of sortedKeys(Object.fromEntries(this.#found))) sorted[name] = this.#found.get(name) ?? {};
    return sorted;
  }

  #referTo(struct: StructSchema, structName: string): string {
    const name = componentName(structName, this.#options.names);
    if (!this.#found.has(name)) {
      this.#found.set(name, {});
      // What one field of it says otherwise stands beside the reference there.
      this.#waiting.push({ name, struct: struct.plain ?? struct });
    }
    return name;
  }

  #define(struct: StructSchema): JsonObject {
    const kinds = struct.name === undefined ? [] : (this.#options.kindsOf?.(struct.name) ?? []);
    const properties: Record<string, JsonObject> = {};
    const required: string[] = [];
    if (!struct.opaque) {
      for (const field of struct.fields.values()) {
        properties[field.name] = this.#property(field);
        if (field.required) required.push(field.name);
      }
    }
    return {
      ...(struct.doc === undefined ? {} : { description: struct.doc }),
      type: "object",
      ...(Object.keys(properties).length === 0 ? {} : { properties: bySortedKeys(properties) }),
      ...(required.length === 0 ? {} : { required }),
      ...(kinds.length === 0 ? {} : { "x-kubernetes-group-version-kind": kinds.map((kind) => ({ ...kind })) }),
      ...(struct.mapType === undefined ? {} : { "x-kubernetes-map-type": struct.mapType }),
      ...(struct.unions === undefined ? {} : { "x-kubernetes-unions": struct.unions.map(publishedUnion) }),
    };
  }

  #property(field: Field): JsonObject {
    const published = field.default ?? field.publishedDefault;
    const mapType = field.mapType ?? (field.schema.type === "map" ? field.schema.mapType : undefined);
    return this.#render(field.schema, {
      ...(this.#flavour.defaults && published !== undefined ? { default: published } : {}),
      ...(field.doc === undefined ? {} : { description: field.doc }),
      ...(field.schema.nullable ? { nullable: true } : {}),
      ...(field.publishedListType === undefined ? {} : { "x-kubernetes-list-type": field.publishedListType }),
      ...(mapType === undefined ? {} : { "x-kubernetes-map-type": mapType }),
      ...(field.patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.patchMergeKey }),
      ...(field.patchStrategy === undefined ? {} : { "x-kubernetes-patch-strategy": field.patchStrategy.join(",") }),
    });
  }

  #render(schema: Schema, markers: JsonObject): JsonObject {
    switch (schema.type) {
      case "struct":
        if (schema.name === undefined) return { ...this.#define(schema), ...markers };
        return this.#flavour.reference(this.#referTo(schema, schema.name), markers);
      case "list":
        return this.#renderList(schema, markers);
      case "map":
        return this.#renderMap(schema, markers);
      case "any":
        return this.#renderAny(schema, markers);
      case "scalar":
        return this.#renderScalar(schema, markers);
    }
  }

  #renderList(schema: ListSchema, markers: JsonObject): JsonObject {
    return {
      ...markers,
      type: "array",
      items: this.#renderElement(schema.items),
      ...(schema.mapKeys === undefined ? {} : { "x-kubernetes-list-map-keys": [...schema.mapKeys] }),
      ...(schema.listType === undefined ? {} : { "x-kubernetes-list-type": schema.listType }),
    };
  }

  #renderMap(schema: MapSchema, markers: JsonObject): JsonObject {
    return { ...markers, type: "object", additionalProperties: this.#renderElement(schema.values) };
  }

  /** Elements of lists and maps are never absent: their zero value is published as default. */
  #renderElement(schema: Schema): JsonObject {
    const zero = this.#flavour.defaults ? zeroOf(schema) : undefined;
    return this.#render(schema, zero === undefined ? {} : { default: zero });
  }

  #renderAny(schema: AnySchema, markers: JsonObject): JsonObject {
    if (schema.wire === "none") return markers;
    return this.#wellKnown(schema.wire, markers);
  }

  #renderScalar(schema: ScalarSchema, markers: JsonObject): JsonObject {
    switch (schema.scalar) {
      case "time":
      case "microTime":
      case "duration":
      case "quantity":
      case "intOrString":
        return this.#wellKnown(schema.scalar, markers);
      default: {
        const [type, implied] = PLAIN_TYPES[schema.scalar];
        const format = schema.format ?? implied;
        return {
          ...markers,
          ...(schema.enum === undefined ? {} : { enum: [...schema.enum] }),
          type,
          ...(format === undefined ? {} : { format }),
        };
      }
    }
  }

  #wellKnown(which: keyof typeof WELL_KNOWN, markers: JsonObject): JsonObject {
    const name = componentName(WELL_KNOWN[which], this.#options.names);
    if (!this.#found.has(name)) this.#found.set(name, this.#flavour.wellKnown[which]);
    return this.#flavour.reference(name, markers);
  }
}

const publishedUnion = ({ discriminator, fields }: Union): JsonObject => ({
  discriminator,
  "fields-to-discriminateBy": fields,
});

type Union = NonNullable<StructSchema["unions"]>[number];

const PLAIN_TYPES = {
  string: ["string", undefined],
  boolean: ["boolean", undefined],
  int32: ["integer", "int32"],
  int64: ["integer", "int64"],
  double: ["number", "double"],
  bytes: ["string", "byte"],
} as const;

function zeroOf(schema: Schema): Json | undefined {
  if (schema.type === "struct") return {};
  if (schema.type !== "scalar") return undefined;
  switch (schema.scalar) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "int32":
    case "int64":
    case "double":
      return 0;
    default:
      return undefined;
  }
}

function bySortedKeys(properties: Record<string, JsonObject>): JsonObject {
  return Object.fromEntries(sortedKeys(properties).map((key) => [key, properties[key]]));
}
