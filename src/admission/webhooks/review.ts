// AdmissionReview: the question to a webhook and what may be believed of its answer. Pure.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { keysInStep } from "../../base/json-in-steps.ts";
import type { Steps } from "../../base/steps.ts";
import { decodeJsonInSteps } from "../../codec/json.ts";
import { statusSchema } from "../../kinds/meta/status.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { decodeJsonPatchInSteps, type JsonPatchOperation } from "../../patch/json-patch.ts";
import { asTyped } from "../../registry/decode-body.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { conformInSteps, ShapeError } from "../../schema/conform.ts";

/** More are not recorded: each stands in every line that is written of the request. */
const MAX_AUDIT_ANNOTATIONS = 1_000;
/** All headers together hold no more characters. */
const MAX_WARNINGS = 4_096;
const KNOWN_VERSIONS = ["v1", "v1beta1"];

/** The version that a webhook prefers among those that we speak. */
export function reviewVersion(versions: readonly string[]): string | undefined {
  return versions.find((version) => KNOWN_VERSIONS.includes(version));
}

export function buildReview(
  names: Names,
  version: string,
  uid: string,
  request: Readonly<Record<string, unknown>>,
  object: ApiObject | undefined,
  oldObject: ApiObject | undefined,
): Record<string, unknown> {
  return {
    kind: "AdmissionReview",
    apiVersion: `${names.group("admission")}/${version}`,
    request: { uid, ...request, object: object ?? null, oldObject: oldObject ?? null },
  };
}

export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly status: JsonObject;
  /** Bytes that are said to be a JSON patch; undefined when the webhook changes nothing. */
  readonly patch: Uint8Array | undefined;
  /** What the webhook says its patch is. */
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: ReadonlyMap<string, string>;
}

/** Why an answer cannot be used. */
export class ReviewError extends Error {}

/** An answer that is no review at all: as good as none. */
export class UnreadableAnswer extends ReviewError {}

/** `mutating`: the answer may bring a patch. */
export function* readReview(
  names: Names,
  version: string,
  uid: string,
  mutating: boolean,
  body: Uint8Array,
): Steps<ReviewAnswer> {
  const review = yield* decode(body);
  yield;
  checkDecodable(names, version, review);
  yield* checkTypes(review);
  const response = review["response"];
  if (!isObject(response)) throw new ReviewError("webhook response was absent");
  if (version === "v1") checkIdentity(names, uid, review, response);
  const { status } = response;
  return {
    allowed: response["allowed"] === true,
    status: isObject(status) ? status : {},
    patch: version === "v1" ? readPatch(response, mutating) : mutating ? patchBytes(response["patch"]) : undefined,
    // The first version of reviews knew only one.
    patchType: version === "v1" ? text(response["patchType"]) : "JSONPatch",
    warnings: warningsOf(response),
    auditAnnotations: yield* auditAnnotationsOf(response),
  };
}

function warningsOf({ warnings }: JsonObject): string[] {
  const texts = Array.isArray(warnings) ? warnings.slice(0, MAX_WARNINGS) : [];
  return texts.filter((one): one is string => typeof one === "string");
}

function* auditAnnotationsOf({ auditAnnotations }: JsonObject): Steps<Map<string, string>> {
  const texts = new Map<string, string>();
  const given = isObject(auditAnnotations) ? auditAnnotations : {};
  for (const key of yield* keysInStep(given)) {
    if (texts.size === MAX_AUDIT_ANNOTATIONS) break;
    const value = given[key];
    if (typeof value === "string") texts.set(key, value);
  }
  return texts;
}

/** What is read of an answer, but for the patch. */
const answerSchema = s.struct("admission.v1.AdmissionReview", () => ({ response: ptr.of(responseSchema, undefined) }));

const responseSchema = s.struct("admission.v1.AdmissionResponse", () => ({
  uid: s.named("types.UID", undefined),
  allowed: s.boolean(undefined),
  status: ptr.of(statusSchema, undefined),
  patchType: ptr.named("PatchType", undefined),
  auditAnnotations: opt.map("string", undefined),
  warnings: opt.list("string", undefined),
}));

/** A yes that is no boolean is no answer: what a failure means decides, and not who guesses what was meant. */
function* checkTypes(review: JsonObject): Steps<void> {
  try {
    yield* conformInSteps(review, answerSchema, { unknownFields: "drop" });
  } catch (error) {
    if (error instanceof ShapeError) throw new UnreadableAnswer(error.message);
    throw error;
  }
}

/** An answer that says to be something else is not even read. */
function checkDecodable(names: Names, version: string, { apiVersion, kind }: JsonObject): void {
  const group = names.group("admission");
  const wanted = `${group}/${version}`;
  const [saidVersion, saidKind] = [text(apiVersion), text(kind)];
  const isReview = saidKind === "" || saidKind === "AdmissionReview";
  if ((saidVersion === "" || saidVersion === wanted) && isReview) return;
  const other = KNOWN_VERSIONS.find((known) => saidVersion === `${group}/${known}`);
  if (other !== undefined && isReview)
    throw new UnreadableAnswer(
      `converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`,
    );
  throw new UnreadableAnswer(
    `no kind ${JSON.stringify(saidKind === "" ? "AdmissionReview" : saidKind)} is registered for version ${JSON.stringify(saidVersion === "" ? wanted : saidVersion)}`,
  );
}

function checkIdentity(names: Names, uid: string, { apiVersion, kind }: JsonObject, response: JsonObject): void {
  if (response["uid"] !== uid)
    throw new ReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(text(response["uid"]))}`);
  const wanted = `${names.group("admission")}/v1`;
  if (apiVersion === wanted && kind === "AdmissionReview") return;
  const said = text(apiVersion).includes("/") ? text(apiVersion) : `/${text(apiVersion)}`;
  throw new ReviewError(
    `expected webhook response of ${wanted}, Kind=AdmissionReview, got ${said}, Kind=${text(kind)}`,
  );
}

function* decode(body: Uint8Array): Steps<JsonObject> {
  try {
    return asTyped((yield* decodeJsonInSteps(body)).value);
  } catch (error) {
    throw new UnreadableAnswer(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}

function readPatch(response: JsonObject, mutating: boolean): Uint8Array | undefined {
  const { patchType } = response;
  const bytes = patchBytes(response["patch"]);
  const typed = patchType !== undefined && patchType !== null;
  if (!mutating) {
    if (bytes !== undefined) throw new ReviewError("validating webhook may not return response.patch");
    if (typed) throw new ReviewError("validating webhook may not return response.patchType");
    return undefined;
  }
  if (bytes !== undefined && !typed)
    throw new ReviewError("webhook returned response.patch but not response.patchType");
  if (bytes === undefined && typed) throw new ReviewError("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new ReviewError('webhook returned invalid response.patchType of ""');
  return bytes;
}

/** The bytes, or where the text stops being base64. */
function decodeBase64(text: string): Uint8Array | number {
  const good = /^[A-Za-z0-9+/]*={0,2}/.exec(text)?.[0].length ?? 0;
  if (good < text.length) return good;
  return text.length % 4 === 0 ? Buffer.from(text, "base64") : text.length;
}

function patchBytes(patch: Json | undefined): Uint8Array | undefined {
  if (patch === undefined || patch === null || patch === "") return undefined;
  if (typeof patch !== "string") throw new UnreadableAnswer("response.patch is no text");
  // Encoders of mail break it into lines.
  const bytes = decodeBase64(patch.replace(/[\r\n]/g, ""));
  if (typeof bytes === "number") throw new UnreadableAnswer(`illegal base64 data at input byte ${bytes}`);
  return bytes;
}

/** The operations of a patch. */
export function* decodePatch(patch: Uint8Array): Steps<readonly JsonPatchOperation[]> {
  try {
    return (yield* decodeJsonPatchInSteps((yield* decodeJsonInSteps(patch)).value)).operations;
  } catch (error) {
    throw new ReviewError(asPatchOfWebhook((error as Error).message));
  }
}

/** The words for a patch that a client sends name its own types. */
function asPatchOfWebhook(message: string): string {
  return message
    .replace(/^error decoding patch: /, "")
    .replace("[]handlers.jsonPatchOp", "jsonpatch.Patch")
    .replace("handlers.jsonPatchOp", "jsonpatch.Operation");
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
