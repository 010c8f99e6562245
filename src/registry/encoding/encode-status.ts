// A Status in any encoding.

import type { Output } from "../../codec/negotiate.ts";
import { statusSchema } from "../../kinds/meta/status.ts";
import { encodeValue } from "./encode-value.ts";

export function encodeStatus(status: Readonly<Record<string, unknown>>, output: Output): Uint8Array {
  return encodeValue(status, statusSchema, output);
}
