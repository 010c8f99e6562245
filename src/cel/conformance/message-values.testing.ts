// Between protobuf messages and the values of the language, for the conformance suite only: well-known messages are
// plain values, all others are objects with fields. The product has no messages; its object types take this same way.

import { getTestRegistry } from "@bufbuild/cel-spec/testdata/registry.js";
import {
  createRegistry,
  type DescEnum,
  type DescField,
  type DescMessage,
  equals as equalMessages,
  getExtension,
  hasExtension,
  ScalarType,
} from "@bufbuild/protobuf";
import { type ReflectList, type ReflectMap, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import {
  type Any,
  anyUnpack,
  type Duration,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  type Value as JsonMessage,
  type Timestamp,
} from "@bufbuild/protobuf/wkt";
import { CelError } from "../errors.ts";
import { LiteralMap } from "../operations/maps.ts";
import { intOf, uintOf } from "../operations/numbers.ts";
import { structType } from "../types.ts";
import { CelDouble, CelDuration, CelObject, CelTimestamp, type CelValue } from "../values.ts";

export const registry = createRegistry(
  getTestRegistry(),
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
);

export const WRAPPERS: ReadonlySet<string> = new Set(
  ["Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64"].map(
    (name) => `google.protobuf.${name}Value`,
  ),
);

export class MessageObject extends CelObject {
  readonly message: ReflectMessage;

  constructor(message: ReflectMessage) {
    super();
    this.message = message;
  }

  get type() {
    return structType(this.message.desc.typeName);
  }

  override get size(): number {
    return this.message.fields.filter((field) => this.message.isSet(field)).length;
  }

  get(name: string): CelValue | undefined {
    const field = fieldOf(this.message.desc, name);
    if (field !== undefined) return readField(this.message, field);
    const extension = registry.getExtension(name);
    if (extension === undefined) return undefined;
    return readAny(extension, getExtension(this.message.message, extension));
  }

  override has(name: string): boolean {
    const field = fieldOf(this.message.desc, name);
    if (field !== undefined) return this.message.isSet(field);
    const extension = registry.getExtension(name);
    return extension !== undefined && hasExtension(this.message.message, extension);
  }

  equals(other: CelObject): boolean {
    return (
      other instanceof MessageObject &&
      other.message.desc.typeName === this.message.desc.typeName &&
      equalMessages(this.message.desc, this.message.message, other.message.message, {
        registry,
        unpackAny: true,
        extensions: true,
        unknown: true,
      })
    );
  }
}

export function fieldOf(desc: DescMessage, name: string): DescField | undefined {
  return desc.fields.find((field) => field.name === name);
}

/** A message as the value that it stands for. */
export function readMessage(message: ReflectMessage): CelValue {
  const { desc } = message;
  if (WRAPPERS.has(desc.typeName)) return readField(message, desc.fields[0] as DescField);
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return unpack(message.message as Any);
    case "google.protobuf.Timestamp": {
      const { seconds, nanos } = message.message as Timestamp;
      return new CelTimestamp(Number(seconds), nanos);
    }
    case "google.protobuf.Duration": {
      const { seconds, nanos } = message.message as Duration;
      return new CelDuration(Number(seconds), nanos);
    }
    case "google.protobuf.Value": {
      const set = (message.message as JsonMessage).kind.case;
      const field = desc.fields.find((candidate) => candidate.localName === set);
      return field === undefined || set === "nullValue" ? null : readField(message, field);
    }
    case "google.protobuf.Struct":
    case "google.protobuf.ListValue":
      return readField(message, desc.fields[0] as DescField);
    default:
      return new MessageObject(message);
  }
}

export function unpack(any: Any): CelValue {
  const message = anyUnpack(any, registry);
  const desc = message === undefined ? undefined : registry.getMessage(message.$typeName);
  if (message === undefined || desc === undefined) return new CelError(`unknown message in Any: ${any.typeUrl}`);
  return readMessage(reflect(desc, message));
}

function readField(message: ReflectMessage, field: DescField): CelValue {
  // Wrappers and values of any type have no default: not set, they are null.
  if (field.fieldKind === "message" && !message.isSet(field) && isNullable(field.message.typeName)) return null;
  return readAny(field, message.get(field));
}

function isNullable(typeName: string): boolean {
  return WRAPPERS.has(typeName) || typeName === "google.protobuf.Any" || typeName === "google.protobuf.Value";
}

type FieldLike = Pick<DescField, "fieldKind"> & {
  readonly scalar?: ScalarType | undefined;
  readonly enum?: DescEnum | undefined;
  readonly message?: DescMessage | undefined;
};

function readAny(field: DescField | FieldLike, value: unknown): CelValue {
  switch (field.fieldKind) {
    case "list":
      return Array.from(value as ReflectList | unknown[], (item) => readSingle(field, item));
    case "map": {
      const { mapKey } = field as DescField & { fieldKind: "map" };
      return LiteralMap.of(
        Array.from(value as ReflectMap, ([key, item]) => [readScalar(mapKey, key), readSingle(field, item)] as const),
      );
    }
    default:
      return readSingle(field, value);
  }
}

function readSingle(field: FieldLike, value: unknown): CelValue {
  if (field.message !== undefined) {
    // Values of extensions are messages, those of fields can be looked into already.
    const seen = value as ReflectMessage;
    return readMessage(seen.desc === undefined ? reflect(field.message, value as never) : seen);
  }
  if (field.enum !== undefined) return field.enum.typeName === "google.protobuf.NullValue" ? null : (value as number);
  return readScalar(field.scalar ?? ScalarType.STRING, value);
}

function readScalar(scalar: ScalarType, value: unknown): CelValue {
  switch (scalar) {
    case ScalarType.BOOL:
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return value as boolean | string | Uint8Array;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return new CelDouble(value as number);
    case ScalarType.UINT32:
    case ScalarType.UINT64:
    case ScalarType.FIXED32:
    case ScalarType.FIXED64:
      return uintOf(BigInt(value as number | bigint));
    default:
      return intOf(BigInt(value as number | bigint));
  }
}
