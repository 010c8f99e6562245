// A JSON value in any encoding. Protobuf needs the schema of the value, CBOR where it holds bytes; the others do not.

import { assertNever } from "../../base/assert-never.ts";
import type { Steps } from "../../base/steps.ts";
import { encodeCbor, encodeCborInSteps } from "../../codec/cbor.ts";
import { encodeJson, encodeJsonInSteps, encodeJsonPretty, encodeJsonPrettyInSteps } from "../../codec/json.ts";
import type { Output } from "../../codec/negotiate.ts";
import { encodeProtobuf, encodeProtobufInSteps } from "../../codec/protobuf.ts";
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
      return encodeCbor(value, schema);
    case "protobuf":
      return encodeProtobuf(value, schema);
    default:
      return assertNever(output.mediaType);
  }
}

/** The same for large values. */
export function* encodeValueInSteps(
  value: Readonly<Record<string, unknown>>,
  schema: StructSchema,
  output: Output,
): Steps<Uint8Array> {
  if (output.mediaType === "cbor") return yield* encodeCborInSteps(value, schema);
  if (output.mediaType === "protobuf") return yield* encodeProtobufInSteps(value, schema);
  if (output.mediaType !== "json") return encodeValue(value, schema, output);
  return yield* output.pretty ? encodeJsonPrettyInSteps(value) : encodeJsonInSteps(value);
}
