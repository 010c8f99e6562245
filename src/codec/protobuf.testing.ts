// For tests: a protobuf message without its envelope.

import type { StructSchema } from "../schema/schema.ts";
import { encodeProtobuf, readEnvelope } from "./protobuf.ts";

export function encodeProtobufMessage(object: Readonly<Record<string, unknown>>, schema: StructSchema): Uint8Array {
  return readEnvelope(encodeProtobuf(object, schema)).raw;
}
