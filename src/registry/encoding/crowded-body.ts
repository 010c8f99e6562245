// The values in a body are bounded, not only its bytes: a list of a million empty objects is smaller than many a definition,
// and takes every stage of a write a hundred times as long. Of what stores elsewhere hold (1.5 MiB), every value may be as
// short as twelve bytes.

import type { Json } from "../../base/json.ts";
import { countValuesInText } from "../../codec/json.ts";
import { StatusError } from "../../meta/status-error.ts";

const MAX_BODY_VALUES = 128 * 1024;

/** Before JSON is decoded. Fails with 413. */
export function refuseCrowdedText(bytes: Uint8Array): void {
  // Every value but the last takes two bytes.
  if (bytes.length < 2 * MAX_BODY_VALUES) return;
  if (countValuesInText(bytes, MAX_BODY_VALUES) > MAX_BODY_VALUES) throw crowded();
}

/** After another encoding of so many bytes has been decoded. Fails with 413. */
export function refuseCrowdedValue(value: Json, sizeBytes: number): void {
  if (sizeBytes > MAX_BODY_VALUES && countValues(value, MAX_BODY_VALUES) > MAX_BODY_VALUES) throw crowded();
}

function crowded(): StatusError {
  return new StatusError(
    413,
    "RequestEntityTooLarge",
    `Request entity too large: it holds more than ${MAX_BODY_VALUES} values`,
  );
}

/** Ends above `most`. */
function countValues(value: Json | undefined, most: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let values = 1;
  for (const key in value) {
    values += countValues((value as Readonly<Record<string, Json>>)[key], most - values);
    if (values > most) break;
  }
  return values;
}
