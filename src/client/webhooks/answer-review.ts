// The answers of webhooks to reviews: AdmissionReview and ConversionReview, both as questions that come back with an answer.

import { cloneJson, isObject, type JsonObject } from "../../base/json.ts";
import { encodeJson } from "../../codec/json.ts";
import { type ApiObject, apiVersionOf } from "../../meta/object.ts";
import { jsonDifference } from "./json-difference.ts";
import type {
  AdmissionOperation,
  AdmissionRequest,
  ConvertingDeclaration,
  Denial,
  WebhookDeclaration,
} from "./webhook-declaration.ts";

/** The question is none that this webhook answers. */
export class BadReview extends Error {}

export async function answerReview(webhook: WebhookDeclaration, review: unknown): Promise<object> {
  if (!isObject(review) || !isObject(review["request"])) throw new BadReview("the body is no review with a request");
  const { apiVersion, kind, request } = review;
  const response =
    webhook.type === "converting"
      ? await convert(webhook.declaration, request as JsonObject)
      : await admit(webhook, request as JsonObject);
  return { apiVersion, kind, response };
}

async function admit(
  { type, declaration }: Exclude<WebhookDeclaration, { type: "converting" }>,
  request: JsonObject,
): Promise<object> {
  const { uid } = request;
  const warnings: string[] = [];
  const oldObject = isObject(request["oldObject"]) ? request["oldObject"] : undefined;
  // What is deleted is only there as the old object.
  const object = isObject(request["object"]) ? request["object"] : oldObject;
  if (object === undefined) throw new BadReview("the request has no object");
  const reviewed = type === "mutating" ? cloneJson(object) : object;
  const denial = await declaration.review(reviewed, requestOf(request, oldObject, warnings));
  // An object that is returned would look like a refusal without a word.
  if (denial !== undefined && typeof denial.deny !== "string")
    throw new TypeError(
      `${declaration.name}: review() returns { deny } or nothing, and changes the object it is given`,
    );
  if (denial !== undefined) return { uid, allowed: false, status: statusOf(denial), warnings };
  const patch = type === "mutating" ? jsonDifference(object, reviewed) : [];
  if (patch.length === 0) return { uid, allowed: true, warnings };
  const encoded = Buffer.from(encodeJson(patch)).toString("base64");
  return { uid, allowed: true, warnings, patchType: "JSONPatch", patch: encoded };
}

function requestOf(request: JsonObject, oldObject: object | undefined, warnings: string[]): AdmissionRequest<object> {
  const { operation, name, namespace, subResource, userInfo, dryRun } = request;
  return {
    operation: operation as AdmissionOperation,
    oldObject,
    name: text(name),
    namespace: text(namespace),
    subresource: text(subResource),
    userInfo: isObject(userInfo) ? (userInfo as AdmissionRequest<object>["userInfo"]) : {},
    dryRun: dryRun === true,
    warn: (warning) => warnings.push(warning),
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function statusOf({ deny, code = 403 }: Denial): object {
  return { message: deny, code };
}

async function convert(declaration: ConvertingDeclaration, request: JsonObject): Promise<object> {
  const { uid, desiredAPIVersion, objects } = request;
  if (!Array.isArray(objects) || typeof desiredAPIVersion !== "string")
    throw new BadReview("the request names no objects or no version");
  const version = desiredAPIVersion.slice(desiredAPIVersion.lastIndexOf("/") + 1);
  const apiVersion = apiVersionOf(declaration.for.groupName, version);
  try {
    const convertedObjects: ApiObject[] = [];
    for (const object of objects as unknown as ApiObject[]) {
      const converted = await declaration.convert(cloneJson(object), version);
      convertedObjects.push({
        ...converted,
        apiVersion,
        kind: object.kind ?? "",
        metadata: keptMetadata(object, converted),
      });
    }
    return { uid, result: { status: "Success" }, convertedObjects };
  } catch (error) {
    return { uid, result: { status: "Failure", message: (error as Error).message }, convertedObjects: [] };
  }
}

/** A conversion may change labels and annotations; the server refuses it everything else. */
function keptMetadata({ metadata }: ApiObject, converted: ApiObject): ApiObject["metadata"] {
  const { labels, annotations } = converted.metadata ?? metadata;
  const { labels: _, annotations: __, ...kept } = metadata;
  return {
    ...kept,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
