// Protobuf messages as object types, for the conformance suite only: declarations, literals, enums and extensions.

import { create, type DescField, type DescMessage, toJson as messageToJson, ScalarType } from "@bufbuild/protobuf";
import { type ReflectList, type ReflectMap, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Any, AnySchema, anyPack, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { Library, StructDeclaration, TypeProvider } from "../declarations.ts";
import { CelError } from "../errors.ts";
import { fromJson, toJson } from "../json.ts";
import { type Expr, qualifiedName } from "../syntax/ast.ts";
import { type Macro, MacroError } from "../syntax/macros.ts";
import {
  BOOL,
  BYTES,
  CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  structType,
  TIMESTAMP,
  UINT,
} from "../types.ts";
import {
  CelDouble,
  CelDuration,
  CelMap,
  CelTimestamp,
  CelUint,
  type CelValue,
  isInt,
  isList,
  listToArray,
} from "../values.ts";
import { fieldOf, MessageObject, readMessage, registry, WRAPPERS } from "./message-values.testing.ts";

export const messageTypes: TypeProvider = {
  findStruct(name): StructDeclaration | undefined {
    const desc = registry.getMessage(name);
    if (desc === undefined) return undefined;
    return {
      type: messageType(desc),
      field(field) {
        const found = fieldOf(desc, field) ?? registry.getExtension(field);
        return found === undefined ? undefined : fieldType(found);
      },
      fieldNames: () => desc.fields.map((field) => field.name),
      create: (fields) => createMessage(desc, fields),
    };
  },
};

/** Enum values are constants; `proto.getExt` and `proto.hasExt` read extensions. */
export const messageLibrary: Library = {
  name: "messages",
  constants: [...registry].flatMap((desc) => {
    if (desc.kind !== "enum") return [];
    return desc.values.map(({ name, number }) => ({ name: `${desc.typeName}.${name}`, type: INT, value: number }));
  }),
  macros: [extensionMacro("getExt", false), extensionMacro("hasExt", true)],
};

function extensionMacro(name: string, testOnly: boolean): Macro {
  return {
    name,
    arity: 2,
    member: true,
    expand(builder, target, [message, extension]) {
      if (target?.kind !== "ident" || target.name !== "proto") return undefined;
      const field = extension === undefined ? undefined : qualifiedName(extension);
      if (field === undefined) return new MacroError(extension as Expr, "invalid extension field");
      return testOnly ? builder.testOnly(message as Expr, field) : builder.select(message as Expr, field);
    },
  };
}

export function messageType(desc: DescMessage): CelType {
  if (WRAPPERS.has(desc.typeName)) return wrapperOf(fieldType(desc.fields[0] as DescField));
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return TIMESTAMP;
    case "google.protobuf.Duration":
      return DURATION;
    case "google.protobuf.Any":
    case "google.protobuf.Value":
      return DYN;
    case "google.protobuf.Struct":
      return mapOf(STRING, DYN);
    case "google.protobuf.ListValue":
      return listOf(DYN);
    default:
      return structType(desc.typeName);
  }
}

type TypedField = Pick<DescField, "fieldKind" | "scalar" | "enum" | "message"> & { readonly mapKey?: ScalarType };

function fieldType(field: TypedField): CelType {
  const single = field.message
    ? messageType(field.message)
    : field.enum
      ? INT
      : scalarType(field.scalar ?? ScalarType.STRING);
  if (field.fieldKind === "list") return listOf(single);
  return field.fieldKind === "map" ? mapOf(scalarType(field.mapKey ?? ScalarType.STRING), single) : single;
}

function scalarType(scalar: ScalarType): CelType {
  switch (scalar) {
    case ScalarType.BOOL:
      return BOOL;
    case ScalarType.STRING:
      return STRING;
    case ScalarType.BYTES:
      return BYTES;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return DOUBLE;
    case ScalarType.UINT32:
    case ScalarType.UINT64:
    case ScalarType.FIXED32:
    case ScalarType.FIXED64:
      return UINT;
    default:
      return INT;
  }
}

/** Thrown inside this file only: the value does not fit the field. */
class Misfit extends Error {}

function createMessage(desc: DescMessage, fields: ReadonlyMap<string, CelValue>): CelValue {
  const message = reflect(desc, create(desc));
  try {
    for (const [name, value] of fields) {
      const field = fieldOf(desc, name);
      if (field === undefined) throw new Misfit(`no such field: ${name}`);
      setField(message, field, value);
    }
  } catch (thrown) {
    // The library refuses what is out of range in its own words.
    return new CelError(String((thrown as Error).message));
  }
  return readMessage(message);
}

function setField(message: ReflectMessage, field: DescField, value: CelValue): void {
  if (field.fieldKind === "list") {
    if (!isList(value)) throw new Misfit("unsupported field type");
    const list = message.get(field) as ReflectList;
    for (const item of listToArray(value)) list.add(single(field, item));
  } else if (field.fieldKind === "map") {
    if (!(value instanceof CelMap)) throw new Misfit("unsupported field type");
    const map = message.get(field) as ReflectMap;
    for (const key of value.keys()) {
      map.set(scalar(field.mapKey, key), single(field, value.get(key) ?? null));
    }
  } else if (value === null && field.fieldKind === "message" && isClearedByNull(field.message)) {
    message.clear(field);
  } else {
    message.set(field, single(field, value));
  }
}

/** Null leaves a message unset; as JSON it is a value, and for lists and structs it is neither. */
function isClearedByNull(desc: DescMessage): boolean {
  const type = messageType(desc);
  return type.kind !== "dyn" && type.kind !== "list" && type.kind !== "map";
}

function single(field: Pick<DescField, "scalar" | "enum" | "message">, value: CelValue): unknown {
  if (field.message !== undefined) return toMessage(field.message, value);
  if (field.enum === undefined) return scalar(field.scalar ?? ScalarType.STRING, value);
  if (value === null && field.enum.typeName === "google.protobuf.NullValue") return 0;
  if (typeof value !== "number" || (value | 0) !== value) throw new Misfit("range");
  return value;
}

function scalar(type: ScalarType, value: CelValue): unknown {
  switch (type) {
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      if (isInt(value)) return BigInt(value);
      break;
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      if (isInt(value)) return Number(value);
      break;
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      if (value instanceof CelUint) return BigInt(value.value);
      break;
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      if (value instanceof CelUint) return Number(value.value);
      break;
    case ScalarType.DOUBLE:
      if (value instanceof CelDouble) return value.value;
      break;
    case ScalarType.FLOAT:
      if (value instanceof CelDouble) return Math.fround(value.value);
      break;
    default:
      if (typeof value === "boolean" || typeof value === "string" || value instanceof Uint8Array) return value;
  }
  throw new Misfit("unsupported field type");
}

/** The message that stands for a value in a field of that type. */
function toMessage(desc: DescMessage, value: CelValue): ReflectMessage {
  if (value instanceof MessageObject && value.message.desc.typeName === desc.typeName) return value.message;
  const message = reflect(desc, create(desc));
  if (WRAPPERS.has(desc.typeName)) {
    const [field] = desc.fields;
    if (field !== undefined) setField(message, field, value);
    return message;
  }
  const set = (name: string, item: CelValue): ReflectMessage => {
    setField(message, fieldOf(desc, name) as DescField, item);
    return message;
  };
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return reflect(AnySchema, pack(value));
    case "google.protobuf.Value":
      return set(...jsonField(value));
    case "google.protobuf.Struct":
      return set("fields", value);
    case "google.protobuf.ListValue":
      return set("values", value);
    case "google.protobuf.Timestamp":
    case "google.protobuf.Duration":
      if (value instanceof CelTimestamp || value instanceof CelDuration) {
        set("seconds", value.seconds);
        return set("nanos", value.nanos);
      }
  }
  throw new Misfit("unsupported field type");
}

/** What holds a value inside of google.protobuf.Value. */
function jsonField(value: CelValue): [field: string, value: CelValue] {
  if (value === null) return ["null_value", null];
  if (typeof value === "boolean") return ["bool_value", value];
  if (typeof value === "string") return ["string_value", value];
  if (value instanceof CelDouble) return ["number_value", value];
  const integer = value instanceof CelUint ? value.value : value;
  if (typeof integer === "number") return ["number_value", new CelDouble(integer)];
  // What a double cannot hold exactly is text in JSON.
  if (typeof integer === "bigint") return ["string_value", String(integer)];
  if (isList(value)) return ["list_value", value];
  if (value instanceof CelMap) return ["struct_value", value];
  const json =
    value instanceof MessageObject
      ? messageToJson(value.message.desc, value.message.message, { registry })
      : toJson(value);
  if (json instanceof CelError) throw new Misfit(json.message);
  return jsonField(fromJson(json));
}

function pack(value: CelValue): Any {
  if (value instanceof MessageObject) return anyPack(value.message.desc, value.message.message);
  const named = packedAs(value);
  const desc = named === undefined ? ValueSchema : (registry.getMessage(`google.protobuf.${named}`) ?? ValueSchema);
  return anyPack(desc, toMessage(desc, value).message);
}

function packedAs(value: CelValue): string | undefined {
  if (typeof value === "boolean") return "BoolValue";
  if (typeof value === "string") return "StringValue";
  if (isInt(value)) return "Int64Value";
  if (value instanceof CelUint) return "UInt64Value";
  if (value instanceof CelDouble) return "DoubleValue";
  if (value instanceof Uint8Array) return "BytesValue";
  if (value instanceof CelTimestamp) return "Timestamp";
  if (value instanceof CelDuration) return "Duration";
  return undefined;
}

/** A primitive that may also be null. */
export function wrapperOf(primitive: CelType): CelType {
  return new CelType("wrapper", primitive.name, [primitive]);
}
