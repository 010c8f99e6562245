// A schema as merging sees it: which values may stand in a place, which lists and maps are one unit and which have
// elements of their own. Compiled once per schema node, on first use.
// Requirements: document 1, "Merge strategy markers".

import type { Json } from "../../base/json.ts";
import type {
  AnySchema,
  Field,
  ListSchema,
  MapSchema,
  ScalarSchema,
  Schema,
  StructSchema,
} from "../../schema/schema.ts";
import { compareByBytes } from "../../schema/sorted-keys.ts";
import { fieldElement, type PathElement } from "../path-element.ts";

/** What may stand in a place; most places take exactly one of the three. */
export interface Atom {
  readonly scalar: ScalarForm | undefined;
  readonly list: ListAtom | undefined;
  readonly map: MapAtom | undefined;
  /** The only form there is, when there is only one. */
  readonly only: "scalar" | "list" | "map" | undefined;
}

export type ScalarForm = "string" | "numeric" | "boolean" | "untyped";

export interface ListAtom {
  /** One unit with one owner; otherwise elements are told apart by keys, or by value when there are no keys. */
  readonly atomic: boolean;
  /** Sorted. */
  readonly keys: readonly string[];
  /** By key: what an element that omits it has. */
  readonly keyDefaults: readonly (Json | undefined)[];
  readonly item: Atom;
}

export interface MapAtom {
  readonly atomic: boolean;
  /** No fields are known, and values have the form that they happen to have. */
  readonly deduced: boolean;
  field(name: string): FieldAtom | undefined;
  /** Of keys that are no known fields; undefined: there must be none. */
  readonly value: Atom | undefined;
}

interface FieldAtom {
  readonly element: PathElement;
  readonly atom: Atom;
}

export function atomOf(schema: Schema): Atom {
  return compile(schema, false);
}

/** Anything, as one unit. */
const UNTYPED: Atom = {
  scalar: "untyped",
  get list() {
    return UNTYPED_LIST;
  },
  get map() {
    return UNTYPED_MAP;
  },
  only: undefined,
};
const UNTYPED_LIST: ListAtom = { atomic: true, keys: [], keyDefaults: [], item: UNTYPED };
const UNTYPED_MAP: MapAtom = { atomic: true, deduced: false, field: () => undefined, value: UNTYPED };

/** Anything: keys are fields, lists are one unit. Custom resources without a schema. */
export const DEDUCED: Atom = {
  scalar: "untyped",
  list: UNTYPED_LIST,
  get map() {
    return DEDUCED_MAP;
  },
  only: undefined,
};
const DEDUCED_MAP: MapAtom = { atomic: false, deduced: true, field: () => undefined, value: DEDUCED };

const PLAIN = new WeakMap<Schema, Atom>();
// Below preserve-unknown-fields everything may have unknown fields, so the same schema compiles to another atom there.
const PRESERVING = new WeakMap<Schema, Atom>();

function compile(schema: Schema, preserving: boolean): Atom {
  const cache = preserving ? PRESERVING : PLAIN;
  let atom = cache.get(schema);
  if (atom === undefined) {
    atom = makeAtom(schema, preserving);
    cache.set(schema, atom);
  }
  return atom;
}

function makeAtom(schema: Schema, preserving: boolean): Atom {
  switch (schema.type) {
    case "struct":
      return mapAtom(new StructAtom(schema, preserving || schema.preserveUnknown === true));
    case "map":
      return valuesAtom(schema, preserving);
    case "list":
      return listAtom(schema, undefined, preserving || schema.preserveUnknown === true);
    case "scalar":
      return { scalar: scalarForm(schema), list: undefined, map: undefined, only: "scalar" };
    case "any":
      return anyAtom(schema);
  }
}

function valuesAtom(schema: MapSchema, preserving: boolean): Atom {
  // Made when asked for: schemas may contain themselves.
  let value: Atom | undefined;
  return mapAtom({
    atomic: schema.mapType === "atomic",
    deduced: false,
    field: () => undefined,
    get value() {
      value ??= compile(schema.values, preserving);
      return value;
    },
  });
}

const mapAtom = (map: MapAtom): Atom => ({ scalar: undefined, list: undefined, map, only: "map" });

class StructAtom implements MapAtom {
  readonly atomic: boolean;
  readonly deduced: boolean;
  readonly #schema: StructSchema;
  readonly #preserving: boolean;
  readonly #fields = new Map<string, FieldAtom>();

  constructor(schema: StructSchema, preserving: boolean) {
    this.#schema = schema;
    this.#preserving = preserving;
    this.atomic = schema.mapType === "atomic";
    this.deduced = this.#isFreeForm && schema.additional === undefined;
  }

  field(name: string): FieldAtom | undefined {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const declared = this.#schema.opaque ? undefined : this.#schema.fields.get(name);
    const atom = declared ? fieldAtom(declared, this.#preserving) : this.#embeddedField(name);
    if (atom === undefined) return undefined;
    const field = { element: fieldElement(name), atom };
    // Only declared names come here, so that what clients send cannot fill it.
    this.#fields.set(name, field);
    return field;
  }

  get value(): Atom | undefined {
    if (this.#schema.additional !== undefined) return compile(this.#schema.additional, this.#preserving);
    return this.#preserving || this.#isFreeForm ? DEDUCED : undefined;
  }

  get #isFreeForm(): boolean {
    return this.#schema.opaque === true || this.#schema.fields.size === 0;
  }

  #embeddedField(name: string): Atom | undefined {
    if (!this.#schema.embedded) return undefined;
    return name === "apiVersion" || name === "kind" || name === "metadata" ? DEDUCED : undefined;
  }
}

function fieldAtom(field: Field, preserving: boolean): Atom {
  const { schema } = field;
  // Without a list type the strategy of merge patches says how elements are told apart.
  if (schema.type === "list" && schema.listType === undefined && field.patchStrategy?.includes("merge")) {
    return listAtom(schema, field, preserving);
  }
  return compile(schema, preserving);
}

function listAtom(schema: ListSchema, field: Field | undefined, preserving: boolean): Atom {
  const mergeKey = field?.patchMergeKey;
  const keys = schema.listType === "map" ? (schema.mapKeys ?? []) : mergeKey === undefined ? [] : [mergeKey];
  const sorted = [...keys].sort(compareByBytes);
  const atomic = schema.listType === undefined ? field === undefined : schema.listType === "atomic";
  const { items } = schema;
  let keyDefaults: readonly (Json | undefined)[] | undefined;
  let item: Atom | undefined;
  const list: ListAtom = {
    atomic,
    keys: sorted,
    get keyDefaults() {
      keyDefaults ??= sorted.map((key) => {
        const keyField = items.type === "struct" ? items.fields.get(key) : undefined;
        return keyField?.default ?? keyField?.publishedDefault;
      });
      return keyDefaults;
    },
    get item() {
      item ??= compile(items, preserving);
      return item;
    },
  };
  return { scalar: undefined, list, map: undefined, only: "list" };
}

function scalarForm(schema: ScalarSchema): ScalarForm {
  switch (schema.scalar) {
    case "boolean":
      return "boolean";
    case "int32":
    case "int64":
    case "double":
      return "numeric";
    case "bytes":
    case "duration":
      return "string";
    case "string":
      return schema.format === undefined && schema.constraints?.format === undefined ? "string" : "untyped";
    default:
      return "untyped";
  }
}

function anyAtom(schema: AnySchema): Atom {
  if (schema.wire === "rawExtension") return UNTYPED;
  if (schema.objectOnly || schema.wire === "fieldsV1") return mapAtom(DEDUCED_MAP);
  return DEDUCED;
}
