// The values in a body are bounded, not only its bytes: a list of a million empty objects is smaller than many a definition,
// and takes every stage of a write a hundred times as long. Of what stores elsewhere hold (1.5 MiB), every value may be as
// short as twelve bytes. So are the keys of one map, since a large map takes every stage several times as long as as many
// values elsewhere do, and none of them can stop in the middle of it.

import { countValues, type Json } from "../../base/json.ts";
import { CrowdedMap } from "../../codec/decode-error.ts";
import { crowdOf } from "../../codec/json.ts";
import { StatusError } from "../../meta/status-error.ts";

const MAX_BODY_VALUES = 128 * 1024;
/** Of one map. */
export const MAX_BODY_KEYS = 64 * 1024;

/** The least that a key takes, with its value and what separates them. */
const MIN_KEY_BYTES = 4;

/** Before JSON is decoded. Fails with 413. */
export function refuseCrowdedText(bytes: Uint8Array): void {
  if (bytes.length < MIN_KEY_BYTES * MAX_BODY_KEYS) return;
  const crowd = crowdOf(bytes, { values: MAX_BODY_VALUES, keys: MAX_BODY_KEYS });
  if (crowd === "values") throw tooManyValues();
  if (crowd === "keys") throw tooManyKeys();
}

/** What another encoding says of itself when it is decoded. */
export function asCrowded(error: unknown): unknown {
  return error instanceof CrowdedMap ? tooManyKeys() : error;
}

/** After another encoding of so many bytes has been decoded. Fails with 413. */
export function refuseCrowdedValue(value: Json, sizeBytes: number): void {
  if (sizeBytes > MAX_BODY_VALUES && countValues(value, MAX_BODY_VALUES) > MAX_BODY_VALUES) throw tooManyValues();
}

const tooManyValues = (): StatusError => tooLarge(`it holds more than ${MAX_BODY_VALUES} values`);
const tooManyKeys = (): StatusError => tooLarge(`it holds a map of more than ${MAX_BODY_KEYS} keys`);

function tooLarge(why: string): StatusError {
  return new StatusError(413, "RequestEntityTooLarge", `Request entity too large: ${why}`);
}
