// The values in a body are bounded, not only its bytes: a list of a million empty objects is smaller than many a definition,
// and takes every stage of a write a hundred times as long. Of what stores elsewhere hold (1.5 MiB), every value may be as
// short as twelve bytes. So are the keys of one map, since a large map takes every stage several times as long as as many
// values elsewhere do; each is stored twice, with its value and with its owner.

import type { Json, JsonObject } from "../../base/json.ts";
import { type Crowd, crowdInSteps } from "../../base/json-in-steps.ts";
import type { Steps } from "../../base/steps.ts";
import { CrowdedMap } from "../../codec/decode-error.ts";
import { crowdOfInSteps } from "../../codec/json.ts";
import { type Kind, MAX_KEYS_AT_ONCE, MAX_VALUES_AT_ONCE } from "../../kinds/define-kind.ts";
import type { ApiObject } from "../../meta/object.ts";
import { StatusError } from "../../meta/status-error.ts";

export const MAX_BODY_VALUES = 128 * 1024;
/** Of one map. */
export const MAX_BODY_KEYS = 64 * 1024;

/** The least that a key takes, with its value and what separates them. */
const MIN_KEY_BYTES = 4;

/** Before JSON is decoded. Fails with 413. */
export function* refuseCrowdedText(bytes: Uint8Array): Steps<void> {
  if (bytes.length < MIN_KEY_BYTES * MAX_BODY_KEYS) return;
  const crowd = yield* crowdOfInSteps(bytes, { values: MAX_BODY_VALUES, keys: MAX_BODY_KEYS });
  if (crowd === "values") throw tooManyValues();
  if (crowd === "keys") throw tooManyKeys();
}

/** What another encoding says of itself when it is decoded. */
export function asCrowded(error: unknown): unknown {
  return error instanceof CrowdedMap ? tooManyKeys() : error;
}

/** After another encoding of so many bytes has been decoded. Fails with 413. */
export function* refuseCrowdedValue(value: Json, sizeBytes: number): Steps<void> {
  if (sizeBytes <= MAX_BODY_VALUES) return;
  const { values } = yield* crowdInSteps(value, MAX_BODY_VALUES);
  if (values > MAX_BODY_VALUES) throw tooManyValues();
}

/** Whether so many bytes can hold more values, or keys in one map, than an object of the kind may. */
export function mayCrowdKind({ judgedInSteps }: BoundedKind, sizeBytes: number): boolean {
  return sizeBytes > (judgedInSteps ? MIN_VALUE_BYTES * MAX_BODY_VALUES : MIN_KEY_BYTES * MAX_KEYS_AT_ONCE);
}

/** The least that a value takes, with what separates it from the next. */
const MIN_VALUE_BYTES = 2;

/** Of a kind whose rules judge at once; metadata are judged in steps, and do not count. Fails with 413. */
export function* refuseCrowdedKind(value: JsonObject, kind: BoundedKind, sizeBytes: number): Steps<void> {
  if (kind.judgedInSteps || !mayCrowdKind(kind, sizeBytes)) return;
  const { metadata: _, ...members } = value;
  const crowd = crowdOfKind(yield* crowdInSteps(members, MAX_VALUES_AT_ONCE), kind);
  if (crowd !== undefined) throw crowd();
}

/** What a patch makes of a stored object is bounded as a body is, unless it was beyond that before. Fails with 413. */
export function* refuseCrowdedObject(object: ApiObject, old: ApiObject | undefined, kind: BoundedKind): Steps<void> {
  const crowd = yield* crowdOfObject(object, kind);
  if (crowd === undefined || (old !== undefined && (yield* crowdOfObject(old, kind)) !== undefined)) return;
  throw crowd();
}

type BoundedKind = Pick<Kind, "kind" | "judgedInSteps">;

/** What to say of it. Without its managers, which no client sends. */
function* crowdOfObject(
  { metadata, ...members }: ApiObject,
  kind: BoundedKind,
): Steps<(() => StatusError) | undefined> {
  const { managedFields: _, ...rest } = metadata;
  const ofMetadata = yield* crowdInSteps(rest as unknown as Json, MAX_BODY_VALUES);
  const ofMembers = yield* crowdInSteps(members as unknown as Json, MAX_BODY_VALUES);
  if (Math.max(ofMetadata.mostKeys, ofMembers.mostKeys) > MAX_BODY_KEYS) return tooManyKeys;
  if (ofMetadata.values + ofMembers.values > MAX_BODY_VALUES) return tooManyValues;
  return kind.judgedInSteps ? undefined : crowdOfKind(ofMembers, kind);
}

function crowdOfKind({ values, mostKeys }: Crowd, kind: BoundedKind): (() => StatusError) | undefined {
  if (mostKeys > MAX_KEYS_AT_ONCE) return () => tooManyKeys(MAX_KEYS_AT_ONCE, kind);
  return values > MAX_VALUES_AT_ONCE ? () => tooManyValues(MAX_VALUES_AT_ONCE, kind) : undefined;
}

export const tooManyValues = (most = MAX_BODY_VALUES, of?: BoundedKind): StatusError =>
  tooLarge(`it holds more than ${most} values`, of);
const tooManyKeys = (most = MAX_BODY_KEYS, of?: BoundedKind): StatusError =>
  tooLarge(`it holds a map of more than ${most} keys`, of);

function tooLarge(why: string, of?: BoundedKind): StatusError {
  const forWhom = of === undefined ? "" : `, which is the most for a ${of.kind}`;
  return new StatusError(413, "RequestEntityTooLarge", `Request entity too large: ${why}${forWhom}`);
}
