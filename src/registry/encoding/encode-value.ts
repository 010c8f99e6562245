// A JSON value in any encoding. Protobuf needs the schema of the value; the others do not.

import { assertNever } from "../../base/assert-never.ts";
import { encodeCbor } from "../../codec/cbor.ts";
import { encodeJson, encodeJsonPretty } from "../../codec/json.ts";
import type { Output } from "../../codec/negotiate.ts";
import { encodeProtobuf } from "../../codec/protobuf.ts";
import { encodeYaml } from "../../codec/yaml.ts";
import type { StructSchema } from "../../schema/schema.ts";

export function encodeValue(
  value: Readonly<Record<string, unknown>>,
  schema: StructSchema,
  output: Output,
): Uint8Array {
  switch (output.mediaType) {
    case "json":
      return output.pretty ? encodeJsonPretty(value) : encodeJson(value);
    case "yaml":
      return encodeYaml(value);
    case "cbor":
      return encodeCbor(value);
    case "protobuf":
      return encodeProtobuf(value, schema);
    default:
      return assertNever(output.mediaType);
  }
}
