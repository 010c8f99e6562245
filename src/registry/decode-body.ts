// Body bytes -> an object of the served kind, shaped and checked for unknown and repeated fields.
// Requirements: document 1, "Field validation".

import { append } from "../base/append.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { atOnce, flatMapInSteps, mapInSteps, Pace, type Steps } from "../base/steps.ts";
import { DecodeError as BytesError, MessageError } from "../codec/decode-error.ts";
import { inTextOrder } from "../codec/json.ts";
import type { ApiObject, GroupVersionKind } from "../meta/object.ts";
import { apiVersionOf, parseApiVersion } from "../meta/object.ts";
import { badRequest, type StatusError } from "../meta/status-error.ts";
import { ShapeError } from "../schema/conform.ts";
import { compareByBytes, sortedByInSteps } from "../schema/sorted-keys.ts";
import { refuseCrowdedKind } from "./encoding/crowded-body.ts";
import { type DecodedBytes, decodeBytesInSteps, type EncodedBody } from "./encoding/decode-bytes.ts";
import type { ServedResource, ShapedObject, ShapeOptions } from "./served-resource.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** How much of a body that cannot be read is shown. */
const SUMMARY_BYTES = 30;

interface BodyOptions {
  readonly validation: FieldValidation;
  readonly warnings: string[];
}

/** Fails with 400 in upstream's words. */
export function decodeObject(resource: ServedResource, body: EncodedBody, options: BodyOptions): ApiObject {
  return atOnce(decodeObjectInSteps(resource, body, options));
}

/** The same for large bodies: reading and shaping take long each. */
export function* decodeObjectInSteps(
  resource: ServedResource,
  body: EncodedBody,
  options: BodyOptions,
): Steps<ApiObject> {
  // Of built-in kinds the walk that shapes the value also counts its keys: whether some were repeated costs no walk.
  let shaped = resource.custom ? undefined : yield* shapeBody(resource, body, true);
  if (shaped === undefined || (shaped.keysInText !== undefined && shaped.keysInText !== shaped.keys)) {
    yield;
    shaped = yield* shapeBody(resource, body, false);
  }
  const { object, duplicates } = shaped;
  // What YAML says is read as JSON, whose keys are written in their order.
  const unknown = body.mediaType === "yaml" ? yield* inKeyOrder(shaped.unknown) : shaped.unknown;
  const both = duplicates.length > 0 && unknown.length > 0;
  const ordered = both && !resource.custom && body.mediaType === "json";
  const findings = ordered ? yield* together(duplicates, unknown, body.bytes) : [...duplicates, ...unknown];
  yield* reportStrict(resource, findings, options);
  return object;
}

/** All findings in the order of the text, without repeated keys below an unknown field: nothing there is read. */
function* together(
  duplicates: readonly string[],
  unknown: readonly string[],
  bytes: Uint8Array,
): Steps<readonly string[]> {
  const unread = unknown.map((finding) => finding.slice("unknown field ".length, -1));
  const isRead = (finding: string) => {
    const path = finding.slice("duplicate field ".length, -1);
    return !unread.some((start) => path.startsWith(start) && ["", ".", "["].includes(path.charAt(start.length)));
  };
  return yield* inTextOrder([...duplicates.filter(isRead), ...unknown], bytes);
}

/** Findings in the order of keys, in which upstream writes a document that it has read or changed; elements in theirs. */
export function* inKeyOrder(findings: readonly string[]): Steps<readonly string[]> {
  if (findings.length < 2) return findings;
  const placed = yield* mapInSteps(findings, new Pace(FINDINGS_PER_STEP), (finding) => ({
    finding,
    place: finding.replace(/\[(\d+)\]/g, (_, index) => `[${index.padStart(9, "0")}]`),
  }));
  const ordered = yield* sortedByInSteps(placed, (a, b) => compareByBytes(a.place, b.place));
  return ordered.map(({ finding }) => finding);
}

const FINDINGS_PER_STEP = 1_000;

interface ShapedBody extends ShapedObject {
  readonly duplicates: readonly string[];
  /** Where duplicates have not been looked for. */
  readonly keysInText: number | undefined;
}

function* shapeBody(resource: ServedResource, body: EncodedBody, countOnly: boolean): Steps<ShapedBody> {
  const { kind } = resource;
  const { bytes, mediaType } = body;
  let decoded: DecodedBytes | undefined;
  let value: JsonObject;
  try {
    decoded = yield* decodeBytesInSteps(body, kind.schema, countOnly);
    value = asTyped(decoded.value);
  } catch (error) {
    if (!(error instanceof BytesError)) throw error;
    if (error instanceof MessageError) {
      checkType(resource, { ...error.type }, bytes);
      throw badRequest(`${cannotBeHandled(resource)}: ${error.message}`);
    }
    // What YAML says is then read as JSON.
    const asJson = mediaType === "json" || (mediaType === "yaml" && decoded !== undefined);
    const where = asJson ? "couldn't get version/kind; json parse error: " : "";
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): ${where}${error.message} (${summary(bytes)})`,
    );
  }
  checkType(resource, value, bytes);
  if (decoded.oddNumber !== undefined) throw badRequest(`${cannotBeHandled(resource)}: ${decoded.oddNumber}`);
  yield;
  yield* refuseCrowdedKind(value, kind, bytes.length);
  const { object, unknown, keys } = yield* shapeValue(resource, value, bytes.length >= SHAPED_IN_STEPS_BYTES, REUSED);
  return { object, unknown, keys, duplicates: decoded.duplicates, keysInText: decoded.keys };
}

/** A third as many structs may stand in a text, each of which gets what it always has. */
const SHAPED_IN_STEPS_BYTES = 32 * 1024;

const REUSED: ShapeOptions = { reuse: true };

/** Shapes a decoded value, in steps if it is `large`; a wrong type is 400 with the path and both types. */
export function* shapeValue(
  resource: ServedResource,
  value: JsonObject,
  large: boolean,
  options: ShapeOptions = {},
): Steps<ShapedObject> {
  try {
    return large ? yield* resource.rules.shapeInSteps(value, options) : resource.rules.shape(value, options);
  } catch (error) {
    throw asUnreadable(resource, error);
  }
}

/** A ShapeError as the answer to what was sent; any other error as it is. */
export function asUnreadable(resource: ServedResource, error: unknown): unknown {
  return error instanceof ShapeError ? badRequest(`${cannotBeHandled(resource)}: ${error.message}`) : error;
}

function cannotBeHandled(resource: ServedResource): string {
  const { kind, version } = resource.kind;
  return `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}`;
}

function* reportStrict(resource: ServedResource, findings: readonly string[], options: BodyOptions): Steps<void> {
  if (findings.length === 0 || options.validation === "Ignore") return;
  if (options.validation === "Strict") throw strictError(resource, findings);
  append(options.warnings, yield* flatMapInSteps(findings, new Pace(FINDINGS_PER_STEP), oneByOne));
}

export const STRICT_DECODING_ERROR = "strict decoding error";

/** The answer to unknown and repeated fields of a body under Strict. */
export function strictError(resource: ServedResource, findings: readonly string[]): StatusError {
  return badRequest(`${cannotBeHandled(resource)}: ${STRICT_DECODING_ERROR}: ${findings.join(", ")}`);
}

/** A warning for each finding: the YAML reader gathers its own under a headline, one to a line. */
export function oneByOne(finding: string): string[] {
  const [headline, ...lines] = finding.split("\n");
  return lines.length === 0 ? [headline!] : lines.map((line) => line.trim());
}

function checkType(resource: ServedResource, value: JsonObject, bytes: Uint8Array): void {
  const { kind: expected } = resource;
  const kind = value["kind"] ?? "";
  const apiVersion = value["apiVersion"] ?? "";
  if (kind === expected.kind && apiVersion === resource.apiVersion) return;
  if (typeof kind !== "string" || typeof apiVersion !== "string") return;
  // Custom resources have no type but the one they say.
  if (resource.custom && kind === "")
    throw unrecognized(expected.kind, `Object 'Kind' is missing in '${shown(bytes)}'`, bytes);
  const data = parseApiVersion(apiVersion);
  if (apiVersion !== "" && data === undefined) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): couldn't get version/kind; unexpected GroupVersion string: ${apiVersion} (${summary(bytes)})`,
    );
  }
  const given = data ?? { group: resource.group, version: expected.version };
  const word = kind === "" ? expected.kind : kind;
  const sameVersion = given.version === expected.version || resource.alsoAccepts?.has(given.version) === true;
  if (word === expected.kind && given.group === resource.group && sameVersion) return;
  const relation = resource.relationOf?.(given.group, given.version, word);
  if (relation === "version" || (resource.custom && word === expected.kind)) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${resource.apiVersion})`,
    );
  }
  const problem = foreignKindProblem(resource, { ...given, kind: word });
  throw badRequest(
    `${word} in version ${JSON.stringify(given.version)} cannot be handled as a ${expected.kind}: ${problem}`,
  );
}

/** Why an object of another kind or version is none of this one, in upstream's words. */
export function foreignKindProblem(resource: ServedResource, { group, version, kind }: GroupVersionKind): string {
  const { kind: expected, typeList } = resource;
  const list = typeList === undefined ? "" : ` in scheme ${JSON.stringify(typeList)}`;
  return resource.relationOf?.(group, version, kind) === "foreign"
    ? `converting (${version}.${kind}) to (${expected.group.split(".")[0] || "core"}.${expected.kind}): unknown conversion`
    : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersionOf(group, version))}${list}`;
}

function unrecognized(kind: string, why: string, bytes: Uint8Array): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`);
}

/** A body that lacks its kind, as far as an answer should repeat it. */
function shown(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, MAX_SHOWN_BYTES)).toString("utf8");
}

const MAX_SHOWN_BYTES = 1024;

/** What may say its type. Null says nothing, as an empty object does. Fails with a DecodeError. */
export function asTyped(value: Json): JsonObject {
  if (value === null) return {};
  if (!isObject(value)) {
    const word = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw new BytesError(
      `json: cannot unmarshal ${word} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  for (const field of ["kind", "apiVersion"]) {
    const given = value[field];
    if (given === undefined || given === null || typeof given === "string") continue;
    const word = Array.isArray(given) ? "array" : typeof given === "boolean" ? "bool" : typeof given;
    throw new BytesError(`json: cannot unmarshal ${word} into Go struct field .${field} of type string`);
  }
  return value;
}

/** The first bytes, as text when they are an object, else in hexadecimal. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const start = Buffer.from(bytes.subarray(0, SUMMARY_BYTES));
  const shown = start[0] === 0x7b ? start.toString("utf8") : start.toString("hex");
  return bytes.length > SUMMARY_BYTES ? `${shown} ...` : shown;
}
