// The values of the expression language at run time.
// An int is a JavaScript number while it is safe and a bigint beyond; a double is boxed, because ints are far more
// common in the objects that rules look at. A list is an array or an AdaptedList; maps, objects and library values
// are classes with one small contract each.

import type { Pace, Steps } from "../base/steps.ts";
import { Boxed } from "./boxed.ts";
import { CelError } from "./errors.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  ERROR,
  INT,
  LIST_OF_DYN,
  MAP_OF_DYN,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  CelType as TypeClass,
  UINT,
} from "./types.ts";

export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | CelDouble
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelOptional
  | CelType
  | readonly CelValue[]
  | CelList
  | CelMap
  | CelObject
  | CelOpaque
  | CelError;

/** An int: number while safe, bigint beyond. */
export type CelInt = number | bigint;
export type CelListValue = readonly CelValue[] | CelList;

export class CelDouble extends Boxed {
  readonly value: number;

  constructor(value: number) {
    super();
    this.value = value;
  }
}

export class CelUint extends Boxed {
  /** Number while safe, bigint beyond. */
  readonly value: CelInt;

  constructor(value: CelInt) {
    super();
    this.value = value;
  }
}

/** An instant: seconds since the epoch, and 0 to 999,999,999 nanoseconds. */
export class CelTimestamp extends Boxed {
  readonly seconds: number;
  readonly nanos: number;
  /** How far its text is from UTC. The instant, and with it equality and order, does not depend on it. */
  readonly offsetSeconds: number;

  constructor(seconds: number, nanos: number, offsetSeconds = 0) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }
}

/** A span: whole seconds and nanoseconds of the same sign. */
export class CelDuration extends Boxed {
  readonly seconds: number;
  readonly nanos: number;

  constructor(seconds: number, nanos: number) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
  }
}

export class CelOptional extends Boxed {
  /** Undefined when there is none. */
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    super();
    this.value = value;
  }
}

export const NONE = new CelOptional(undefined);

/** A list that makes its elements when they are asked for. */
export abstract class CelList extends Boxed {
  abstract readonly size: number;
  /** The element at a position inside the list. */
  abstract at(index: number): CelValue;
  /** `left + right` where lists of this kind merge; undefined where they just join. */
  merge(_right: CelListValue): CelValue | undefined {
    return undefined;
  }
  /** The same where they may be large. */
  mergeInSteps(_right: CelListValue): Steps<CelValue> | undefined {
    return undefined;
  }
  /** Equality where the order does not matter; undefined where elements compare one by one. */
  equals(_other: CelListValue): boolean | undefined {
    return undefined;
  }
  /** The same where they may be large. */
  equalsInSteps(_other: CelListValue, _pace: Pace): Steps<boolean> | undefined {
    return undefined;
  }
}

export abstract class CelMap extends Boxed {
  abstract readonly size: number;
  /** Undefined when the key is absent. */
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): Iterable<CelValue>;
  /** `key in map`: differs from get() where absent keys have a value. */
  has(key: CelValue): boolean {
    return this.get(key) !== undefined;
  }
  /** `has(map.name)`. */
  hasField(name: string): boolean {
    return this.get(name) !== undefined;
  }
  /** Undefined where maps are equal whose entries are. */
  equals(_other: CelMap): boolean | undefined {
    return undefined;
  }
  /** The same where they may be large. */
  equalsInSteps(_other: CelMap, _pace: Pace): Steps<boolean> | undefined {
    return undefined;
  }
}

/** A value with declared fields that is no map. */
export abstract class CelObject extends Boxed {
  abstract readonly type: CelType;
  /** Undefined when the field is not set and has no default. */
  abstract get(field: string): CelValue | undefined;
  abstract equals(other: CelObject): boolean;
  /** Whether the field is set. */
  has(field: string): boolean {
    return this.get(field) !== undefined;
  }
  /** What cost accounting counts it as: the fields that are set. */
  get size(): number {
    return 1;
  }
}

/** A value of a library: quantities, addresses, authorizers. */
export abstract class CelOpaque extends Boxed {
  abstract readonly type: CelType;
  abstract equals(other: CelOpaque): boolean;
  /** What cost accounting counts it as. */
  get size(): number {
    return 1;
  }
}

export function isList(value: CelValue): value is CelListValue {
  return Array.isArray(value) || value instanceof CelList;
}

export function listSize(list: CelListValue): number {
  return list instanceof CelList ? list.size : list.length;
}

export function listAt(list: CelListValue, index: number): CelValue {
  return list instanceof CelList ? list.at(index) : (list[index] ?? null);
}

export function listToArray(list: CelListValue): readonly CelValue[] {
  if (!(list instanceof CelList)) return list;
  const items: CelValue[] = [];
  for (let index = 0; index < list.size; index++) items.push(list.at(index));
  return items;
}

export function isInt(value: CelValue): value is CelInt {
  return typeof value === "number" || typeof value === "bigint";
}

const OPTIONAL_OF_DYN = optionalOf(DYN);

/** The type of a value as `type(x)` shows it: lists and maps without their parameters. */
export function typeOf(value: CelValue): CelType {
  switch (typeof value) {
    case "number":
    case "bigint":
      return INT;
    case "string":
      return STRING;
    case "boolean":
      return BOOL;
  }
  if (value === null) return NULL;
  if (value instanceof CelDouble) return DOUBLE;
  if (isList(value)) return LIST_OF_DYN;
  if (value instanceof CelMap) return MAP_OF_DYN;
  if (value instanceof CelObject || value instanceof CelOpaque) return value.type;
  if (value instanceof CelUint) return UINT;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof CelTimestamp) return TIMESTAMP;
  if (value instanceof CelDuration) return DURATION;
  if (value instanceof CelOptional) return OPTIONAL_OF_DYN;
  if (value instanceof TypeClass) return TYPE;
  return ERROR;
}

/** Whether a value may stand where a declaration asks for `type`. Of lists and maps only the first element is looked at. */
export function hasType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case "dyn":
    case "param":
      return true;
    case "int":
      return isInt(value);
    case "string":
      return typeof value === "string";
    case "bool":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "double":
      return value instanceof CelDouble;
    case "uint":
      return value instanceof CelUint;
    case "bytes":
      return value instanceof Uint8Array;
    case "timestamp":
      return value instanceof CelTimestamp;
    case "duration":
      return value instanceof CelDuration;
    case "list":
      return isList(value) && hasElementType(value, type);
    case "map":
      return value instanceof CelMap && hasEntryTypes(value, type);
    case "type":
      return value instanceof TypeClass;
    case "wrapper":
      return value === null || hasType(value, type.params[0] ?? DYN);
    case "opaque":
    case "struct":
      return typeOf(value).name === type.name;
    case "error":
      return value instanceof CelError;
  }
}

function hasElementType(list: CelListValue, { params: [element = DYN] }: CelType): boolean {
  return isOpen(element) || listSize(list) === 0 || hasType(listAt(list, 0), element);
}

function hasEntryTypes(map: CelMap, { params: [key = DYN, value = DYN] }: CelType): boolean {
  // The keys of a large map take long to find.
  if (isOpen(key) && isOpen(value)) return true;
  for (const first of map.keys()) return hasType(first, key) && hasType(map.get(first) ?? null, value);
  return true;
}

/** Whether every value has the type. */
const isOpen = ({ kind }: CelType): boolean => kind === "dyn" || kind === "param";
