// The types of the expression language: what declarations, the checker and `type(x)` speak in.
// Serves document 1, "Expression language (CEL) in API fields", type mapping.

import { Boxed } from "./boxed.ts";

export type TypeKind =
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration"
  | "dyn"
  | "error"
  | "list"
  | "map"
  | "type"
  | "param"
  | "opaque"
  | "struct"
  | "wrapper";

/** A type; also the value that `type(x)` gives. Compare with `equalTypes`, never by identity. */
export class CelType extends Boxed {
  readonly kind: TypeKind;
  /** The name that the language knows it by, such as `google.protobuf.Timestamp` or `list`. */
  readonly name: string;
  readonly params: readonly CelType[];

  constructor(kind: TypeKind, name: string, params: readonly CelType[] = []) {
    super();
    this.kind = kind;
    this.name = name;
    this.params = params;
  }
}

export const NULL = new CelType("null", "null_type");
export const BOOL = new CelType("bool", "bool");
export const INT = new CelType("int", "int");
export const UINT = new CelType("uint", "uint");
export const DOUBLE = new CelType("double", "double");
export const STRING = new CelType("string", "string");
export const BYTES = new CelType("bytes", "bytes");
export const TIMESTAMP = new CelType("timestamp", "google.protobuf.Timestamp");
export const DURATION = new CelType("duration", "google.protobuf.Duration");
export const DYN = new CelType("dyn", "dyn");
/** To the checker as `dyn`; whoever declares it can tell it from what expressions have made `dyn`. */
export const ANY = new CelType("dyn", "google.protobuf.Any");
export const ERROR = new CelType("error", "!error!");
export const TYPE = new CelType("type", "type");

export function listOf(element: CelType): CelType {
  return new CelType("list", "list", [element]);
}

export function mapOf(key: CelType, value: CelType): CelType {
  return new CelType("map", "map", [key, value]);
}

export function typeOfType(type: CelType): CelType {
  return new CelType("type", "type", [type]);
}

export function typeParam(name: string): CelType {
  return new CelType("param", name);
}

/** A type whose values only its own functions can look into. */
export function opaqueType(name: string, params: readonly CelType[] = []): CelType {
  return new CelType("opaque", name, params);
}

/** A type with named fields; the environment's type provider knows them. */
export function structType(name: string): CelType {
  return new CelType("struct", name);
}

export function optionalOf(type: CelType): CelType {
  return new CelType("opaque", OPTIONAL_NAME, [type]);
}

export const OPTIONAL_NAME = "optional_type";
export const LIST_OF_DYN = listOf(DYN);
export const MAP_OF_DYN = mapOf(DYN, DYN);

export function isOptionalType(type: CelType): boolean {
  return type.kind === "opaque" && type.name === OPTIONAL_NAME;
}

export function firstParam(type: CelType): CelType {
  return type.params[0] ?? DYN;
}

export function secondParam(type: CelType): CelType {
  return type.params[1] ?? DYN;
}

export function isDyn(type: CelType): boolean {
  return type.kind === "dyn";
}

export function equalTypes(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => equalTypes(param, b.params[index] ?? DYN));
}

/** The type as values name it, unlike the messages of a check: `null_type`, `list(google.protobuf.Duration)`. */
export function typeText({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(typeText).join(", ")})`;
}

/** The type as errors show it: `map(string, list(int))`. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case "null":
      return "null";
    case "timestamp":
      return "timestamp";
    case "duration":
      return "duration";
    case "dyn":
      return type.name === ANY.name ? "any" : type.name;
    case "wrapper":
      return `wrapper(${formatType(firstParam(type))})`;
    default:
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(", ")})`;
  }
}
