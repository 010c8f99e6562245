// An object of JSON with declared fields: reads properties in place, under the names that expressions use. A field that
// is null is not set; elements of lists and values of maps may be null.

import type { Json } from "../../base/json.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { atOnce, Pace, type Steps } from "../../base/steps.ts";
import { type Adapter, keysOf, ownValue } from "../json.ts";
import { equalsInSteps } from "../operations/equality.ts";
import { countWork } from "../operations/work.ts";
import { keywordField } from "../property-names.ts";
import type { CelType } from "../types.ts";
import { CelMap, type CelValue } from "../values.ts";

export interface SchemaStruct {
  readonly type: CelType;
  /** By the name in expressions. */
  readonly fields: ReadonlyMap<string, { readonly property: string; readonly adapt: Adapter }>;
}

/** Reads one field of objects of one struct, without looking its name up each time. */
export function fieldAccessor(struct: SchemaStruct, name: string): (value: CelValue) => CelValue | undefined {
  const field = struct.fields.get(name);
  if (field === undefined) return () => undefined;
  const { property, adapt } = field;
  return (value) => {
    // Only objects of this very struct refer to it: quicker than asking for the class.
    if (typeof value !== "object" || value === null || (value as SchemaObject).struct !== struct) return undefined;
    const raw = ownValue((value as SchemaObject).raw, property);
    return raw === undefined || raw === null ? undefined : adapt(raw);
  };
}

/** An object whose type is declared: to an expression that does not know the type, a map. */
export class SchemaObject extends CelMap {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly struct: SchemaStruct;

  constructor(raw: Readonly<Record<string, unknown>>, struct: SchemaStruct) {
    super();
    this.raw = raw;
    this.struct = struct;
  }

  get size(): number {
    return keysOf(this.raw).length;
  }

  get(name: CelValue): CelValue | undefined {
    const field = this.#field(name);
    if (field === undefined) return undefined;
    const raw = ownValue(this.raw, field.property);
    return raw === undefined || raw === null ? undefined : field.adapt(raw);
  }

  override has(name: CelValue): boolean {
    const field = this.#field(name);
    return field !== undefined && (ownValue(this.raw, field.property) ?? null) !== null;
  }

  /** Without making a value of it. */
  override hasField(name: string): boolean {
    return this.has(name);
  }

  /** The fields that are set, by their names in expressions. */
  keys(): Iterable<CelValue> {
    countWork(this.struct.fields.size);
    return [...this.struct.fields.keys()].filter((name) => this.has(name));
  }

  #field(name: CelValue): { readonly property: string; readonly adapt: Adapter } | undefined {
    if (typeof name !== "string") return undefined;
    return this.struct.fields.get(name) ?? this.struct.fields.get(keywordField(name) ?? "");
  }

  override equals(other: CelMap): boolean | undefined {
    return other instanceof SchemaObject
      ? atOnce(this.#equalsInSteps(other, new Pace(Number.POSITIVE_INFINITY)))
      : undefined;
  }

  override equalsInSteps(other: CelMap, pace: Pace): Steps<boolean> | undefined {
    return other instanceof SchemaObject ? this.#equalsInSteps(other, pace) : undefined;
  }

  /** Declared fields by their types, so that lists may be sets; the others as JSON. */
  *#equalsInSteps(other: SchemaObject, pace: Pace): Steps<boolean> {
    if (this.raw === other.raw) return true;
    if (this.size !== other.size) return false;
    countWork(this.size);
    const declared = new Set<string>();
    for (const [name, field] of this.struct.fields) {
      if (pace.due()) yield;
      declared.add(field.property);
      const left = this.get(name);
      const right = other.get(name);
      if (left === undefined || right === undefined) {
        if (left !== right) return false;
      } else if (!(yield* equalsInSteps(left, right, pace))) {
        return false;
      }
    }
    for (const key of Object.keys(this.raw)) {
      if (pace.due()) yield;
      if (!declared.has(key) && !(yield* equalJsonInSteps(this.raw[key], ownValue(other.raw, key)))) return false;
    }
    return true;
  }

  toJson(): Json {
    return this.raw as Json;
  }
}
