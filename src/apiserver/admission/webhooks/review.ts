// AdmissionReview: the question to a webhook and what may be believed of its answer. Pure.

import { isObject, type Json, type JsonObject } from "../../../base/json.ts";
import { decodeJson } from "../../../codec/json.ts";
import type { Names } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { decodeJsonPatch, type JsonPatchOperation } from "../../../patch/json-patch.ts";

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
  readonly patch: readonly JsonPatchOperation[];
  readonly warnings: readonly string[];
  readonly auditAnnotations: ReadonlyMap<string, string>;
}

/** Why an answer cannot be used. */
export class ReviewError extends Error {}

export function readReview(names: Names, version: string, uid: string, body: Uint8Array): ReviewAnswer {
  const review = decode(body);
  const wanted = `${names.group("admission")}/${version}`;
  const [apiVersion, kind] = [review["apiVersion"], review["kind"]];
  const response = review["response"];
  if (version === "v1" && (apiVersion !== wanted || kind !== "AdmissionReview")) {
    throw new ReviewError(
      `expected webhook response of ${wanted}, Kind=AdmissionReview, got ${text(apiVersion)}, Kind=${text(kind)}`,
    );
  }
  if (!isObject(response)) throw new ReviewError("webhook response was absent");
  if (version === "v1" && response["uid"] !== uid) {
    throw new ReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(text(response["uid"]))}`);
  }
  const { status } = response;
  return {
    allowed: response["allowed"] === true,
    status: isObject(status) ? status : {},
    patch: readPatch(version, response),
    warnings: Array.isArray(response["warnings"])
      ? response["warnings"].filter((one): one is string => typeof one === "string")
      : [],
    auditAnnotations: new Map(
      Object.entries(isObject(response["auditAnnotations"]) ? response["auditAnnotations"] : {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      ),
    ),
  };
}

function decode(body: Uint8Array): JsonObject {
  let value: Json;
  try {
    value = decodeJson(body).value as Json;
  } catch (error) {
    throw new ReviewError(`the answer is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new ReviewError("the answer is not an object");
  return value;
}

function readPatch(version: string, response: JsonObject): readonly JsonPatchOperation[] {
  const { patch, patchType } = response;
  if (patch === undefined || patch === null || patch === "") {
    if (version === "v1" && text(patchType) !== "") {
      throw new ReviewError("webhook returned response.patchType but not response.patch");
    }
    return [];
  }
  if (version === "v1" && text(patchType) === "")
    throw new ReviewError("webhook returned response.patch but not response.patchType");
  if (version === "v1" && patchType !== "JSONPatch")
    throw new ReviewError(`invalid response.patchType of ${JSON.stringify(text(patchType))}`);
  if (typeof patch !== "string") throw new ReviewError("response.patch is not base64");
  try {
    return decodeJsonPatch(decodeJson(Buffer.from(patch, "base64")).value as Json).operations;
  } catch (error) {
    throw new ReviewError(`response.patch is no JSON patch: ${(error as Error).message}`);
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
