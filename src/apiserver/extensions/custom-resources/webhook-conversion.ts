// Asks a webhook to convert objects between versions, and believes it only so far: it may change what a version is about,
// labels and annotations, never who an object is. Requirements: document 1, "Versioning".

import { randomUUID } from "node:crypto";
import { append } from "../../../base/append.ts";
import { equalJson, isObject, type JsonObject } from "../../../base/json.ts";
import { keysInStep } from "../../../base/json-in-steps.ts";
import { atOnceWhileShort, Pace, type Steps } from "../../../base/steps.ts";
import type { WebhookClient } from "../../../client/callouts/webhook-client.ts";
import { failedAnswerText } from "../../../client/failed-answer.ts";
import { decodeJsonCountingInSteps, encodeJsonPlainInSteps } from "../../../codec/json.ts";
import type { CustomResourceDefinition } from "../../../kinds/apiextensions/custom-resource-definition.ts";
import type { CustomResourceConversion } from "../../../kinds/apiextensions/custom-resource-definition-schema.ts";
import type { Names } from "../../../meta/names.ts";
import type { ApiObject, ObjectMeta } from "../../../meta/object.ts";
import { cutText } from "../../../meta/quoted.ts";
import { StatusError } from "../../../meta/status-error.ts";
import type { ConversionFailure, ConversionObserver } from "./conversion-metrics.ts";

export interface WebhookConverter {
  /** The objects in the wanted version, in the same order. Fails with 500 in upstream's words. */
  convert(
    definition: Pick<CustomResourceDefinition, "metadata" | "spec"> | undefined,
    objects: readonly ApiObject[],
    apiVersion: string,
    signal?: AbortSignal,
  ): Promise<readonly ApiObject[]>;
}

interface WebhookConverterDeps {
  readonly names: Names;
  readonly client: Pick<WebhookClient, "post">;
  readonly observer: ConversionObserver;
}

const MS_PER_SECOND = 1000;

/** As upstream waits for webhooks that say no time of their own. */
const TIMEOUT_MS = 30_000;
/** Long lists are converted in pieces. */
const MAX_OBJECTS_PER_CALL = 500;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const KNOWN_VERSIONS = ["v1", "v1beta1"];

export function webhookConverter({ names, client, observer }: WebhookConverterDeps): WebhookConverter {
  const group = names.group("apiextensions");

  async function call(
    conversion: CustomResourceConversion,
    objects: readonly ApiObject[],
    apiVersion: string,
    signal: AbortSignal | undefined,
  ): Promise<ApiObject[]> {
    const { clientConfig, conversionReviewVersions = [] } = conversion.webhook ?? {};
    const version = (conversionReviewVersions ?? []).find((each) => KNOWN_VERSIONS.includes(each)) ?? "v1";
    const uid = randomUUID();
    const review = {
      kind: "ConversionReview",
      apiVersion: `${group}/${version}`,
      request: { uid, desiredAPIVersion: apiVersion, objects },
    };
    const startMs = performance.now();
    const note = (found?: ConversionFailure) => observer.called(secondsSince(startMs), found);
    const fail = (why: string, found: ConversionFailure = "conversion_webhook_malformed_response_failure"): never => {
      note(found);
      throw failure(`conversion webhook for ${typeOf(objects[0]!)} ${why}`);
    };
    let answer: unknown;
    try {
      const { status, body } = await client.post(clientConfig ?? {}, {
        body: await soon(encodeJsonPlainInSteps(review)),
        timeoutMs: TIMEOUT_MS,
        maxAnswerBytes: MAX_ANSWER_BYTES,
        query: `timeout=${TIMEOUT_MS / MS_PER_SECOND}s`,
        ...(signal === undefined ? {} : { signal }),
      });
      if (status < 200 || status > 299) throw new Error(failedAnswerText(status, body));
      answer = (await soon(decodeJsonCountingInSteps(body))).value;
    } catch (error) {
      return fail(`failed: ${(error as Error).message}`, "conversion_webhook_call_failure");
    }
    const expected = { uid, objects, apiVersion, reviewVersion: review.apiVersion, fail };
    const converted = await soon(convertedObjects(answer, expected));
    note();
    return converted;
  }

  /** In pieces. */
  async function callAll(
    conversion: CustomResourceConversion,
    objects: readonly ApiObject[],
    apiVersion: string,
    signal: AbortSignal | undefined,
  ): Promise<ApiObject[]> {
    const converted: ApiObject[] = [];
    for (let i = 0; i < objects.length; i += MAX_OBJECTS_PER_CALL) {
      append(converted, await call(conversion, objects.slice(i, i + MAX_OBJECTS_PER_CALL), apiVersion, signal));
    }
    return converted;
  }

  return {
    async convert(definition, objects, apiVersion, signal) {
      const conversion = definition?.spec.conversion;
      if (!conversion?.webhook) throw failure("the definition says no webhook that converts its objects");
      const startMs = performance.now();
      const from = versionOf(objects[0]?.apiVersion ?? apiVersion);
      const note = (succeeded: boolean) =>
        observer.converted(
          definition?.metadata.name ?? "",
          from,
          versionOf(apiVersion),
          succeeded,
          secondsSince(startMs),
        );
      try {
        const converted = await callAll(conversion, objects, apiVersion, signal);
        note(true);
        return converted;
      } catch (error) {
        note(false);
        throw error;
      }
    },
  };
}

interface Expected {
  readonly uid: string;
  readonly objects: readonly ApiObject[];
  readonly apiVersion: string;
  readonly reviewVersion: string;
  /** `why` follows the name of the webhook. */
  readonly fail: (why: string, found?: ConversionFailure) => never;
}

function* convertedObjects(answer: unknown, expected: Expected): Steps<ApiObject[]> {
  const { uid, objects, reviewVersion, fail } = expected;
  const isFirst = reviewVersion.endsWith("/v1beta1");
  if (!isObject(answer)) return fail("failed: the answer is no object");
  const { kind, apiVersion, response } = answer;
  // The first version of reviews never was checked for whom it answers.
  if (!isFirst && (kind !== "ConversionReview" || apiVersion !== reviewVersion)) {
    const given = `${textOf(apiVersion)}, Kind=${textOf(kind)}`;
    return fail(`failed: expected webhook response of ${reviewVersion}, Kind=ConversionReview, got ${given}`);
  }
  if (!isObject(response)) return fail("failed: no response provided");
  if (!isFirst && response["uid"] !== uid)
    return fail(`failed: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textOf(response["uid"]))}`);
  const result = isObject(response["result"]) ? response["result"] : {};
  if (result["status"] !== "Success") {
    return fail(
      typeof result["message"] === "string" && result["message"] !== ""
        ? `failed: ${result["message"]}`
        : `failed: response.result.status was '${typeof result["status"] === "string" ? result["status"] : ""}', not 'Success'`,
    );
  }
  const found = Array.isArray(response["convertedObjects"]) ? response["convertedObjects"] : [];
  if (found.length !== objects.length) {
    return fail(
      `returned ${found.length} objects, expected ${objects.length}`,
      "conversion_webhook_partial_response_failure",
    );
  }
  const converted: ApiObject[] = [];
  const pace = new Pace(PARTS_PER_STEP);
  for (const [index, object] of found.entries()) {
    if (pace.due(PARTS_PER_OBJECT)) yield;
    const problem = yield* judge(object, objects[index]!, expected.apiVersion, pace);
    if (problem !== undefined) {
      return fail(
        `returned invalid converted object at index ${index}: ${problem}`,
        "conversion_webhook_invalid_converted_object_failure",
      );
    }
    converted.push(withOwnMetadata(object as unknown as ApiObject, objects[index]!));
  }
  return converted;
}

/** Labels and annotations that are looked at in one step, and as how many of them an object counts. */
const PARTS_PER_STEP = 1_000;
const PARTS_PER_OBJECT = 20;

const SAME = ["name", "namespace", "uid"] as const;
const SAME_WORDS = { name: "name", namespace: "namespace", uid: "UID" } as const;

function* judge(converted: unknown, original: ApiObject, apiVersion: string, pace: Pace): Steps<string | undefined> {
  if (!isObject(converted)) return "it is no object";
  const { kind, apiVersion: given } = converted;
  if (given !== apiVersion) return `invalid groupVersion (expected ${apiVersion}, received ${textOf(given)})`;
  if (kind !== original.kind) return `invalid kind (expected ${original.kind}, received ${textOf(kind)})`;
  const metadata = converted["metadata"];
  if (!isObject(metadata)) return "missing metadata in converted object";
  for (const field of SAME) {
    if (!equalJson(metadata[field] ?? "", original.metadata[field] ?? "")) {
      return `must have the same ${SAME_WORDS[field]}: ${textOf(original.metadata[field])} != ${textOf(metadata[field])}`;
    }
  }
  for (const field of ["labels", "annotations"] as const) {
    const map = metadata[field];
    if (map === undefined || map === null) continue;
    if (!isObject(map) || !(yield* isAllTexts(map, pace))) return `invalid ${field} in converted object`;
  }
  return undefined;
}

function* isAllTexts(map: JsonObject, pace: Pace): Steps<boolean> {
  for (const key of yield* keysInStep(map)) {
    if (pace.due()) yield;
    if (typeof map[key] !== "string") return false;
  }
  return true;
}

/** Labels and annotations are the webhook's, all other metadata is what it was. Changes what was converted. */
function withOwnMetadata(converted: ApiObject, original: ApiObject): ApiObject {
  const { labels: _labels, annotations: _annotations, ...rest } = original.metadata;
  const { labels, annotations } = converted.metadata;
  const metadata: ObjectMeta = { ...rest, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  converted.metadata = metadata;
  return converted;
}

/** What is no text is told of as none. */
const textOf = (value: unknown): string => (typeof value === "string" ? cutText(value) : "");

/** Objects may be large, or many. */
const soon = <T>(steps: Steps<T>): T | Promise<T> => atOnceWhileShort(steps);

const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf("/") + 1);

const secondsSince = (startMs: number): number => (performance.now() - startMs) / MS_PER_SECOND;

function typeOf({ apiVersion, kind }: ApiObject): string {
  return `${apiVersion}, Kind=${kind}`;
}

const failure = (message: string): StatusError => new StatusError(500, "", message);
