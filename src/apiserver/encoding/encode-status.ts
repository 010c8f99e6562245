// A Status in any encoding.

import { encodeJson, encodeJsonPretty } from "../../codec/json.ts";
import type { Output } from "../../codec/negotiate.ts";

export function encodeStatus(status: Readonly<Record<string, unknown>>, output: Output): Uint8Array {
  return output.pretty ? encodeJsonPretty(status) : encodeJson(status);
}
