// Admission by flag: a remote service judges the images of pods. Its answers are remembered for a while.

import { type Attempt, attempt } from "../../base/attempts.ts";
import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject, type Json } from "../../base/json.ts";
import { roughBytes } from "../../base/rough-bytes.ts";
import { failedAnswerText } from "../../client/failed-answer.ts";
import { decodeJson } from "../../codec/json.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { concernsPart, concernsPod } from "../match-request.ts";
import { refusal } from "../refusal.ts";
import type { ImagePolicySettings } from "./image-policy-settings.ts";

interface ImagePolicyParts {
  readonly names: Names;
  readonly clock: Clock;
  readonly post: (
    body: unknown,
    options: { timeoutMs: number; signal: AbortSignal },
  ) => Promise<{ readonly status: number; readonly body: Uint8Array }>;
}

interface ImageVerdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: ReadonlyMap<string, string>;
}

/** As upstream remembers. */
const MAX_REMEMBERED = 1024;
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;
const ATTEMPTS = { maxAttempts: 5, factor: 1.5, jitter: 0 };
const CALL_TIMEOUT_MS = 10_000;
/** All attempts together. */
const TOTAL_TIMEOUT_MS = 30_000;

export function imagePolicyWebhook(
  parts: ImagePolicyParts,
  settings: Omit<ImagePolicySettings, "kubeConfigFile">,
): AdmissionPlugin {
  const { names, clock } = parts;
  const remembered = new BoundedCache<string, ImageVerdict>({
    maxEntries: MAX_REMEMBERED,
    maxBytes: MAX_REMEMBERED_BYTES,
    sizeBytes: (key, verdict) => roughBytes(key) + roughBytes(verdict),
    clock,
  });

  return {
    name: "ImagePolicyWebhook",
    handles: (request) =>
      (request.operation === "CREATE" || request.operation === "UPDATE") &&
      (concernsPod(request) || concernsPart(request, "", "pods", "ephemeralcontainers")),
    async validate(request) {
      const spec = reviewSpec(names, request);
      const key = JSON.stringify(spec);
      let verdict = remembered.get(key);
      if (verdict === undefined) {
        try {
          verdict = await ask(parts, settings.retryBackoffMs, spec);
        } catch (error) {
          if (!settings.defaultAllow) throw refusal(request, (error as Error).message);
          failOpen(names, request);
          return;
        }
        remembered.set(key, verdict, verdict.allowed ? settings.allowTtlMs : settings.denyTtlMs);
      }
      for (const [name, value] of verdict.auditAnnotations)
        request.auditAnnotations.set(names.imagePolicyAuditPrefix + name, value);
      if (!verdict.allowed) throw refusal(request, denialText(verdict.reason));
    },
  };
}

function denialText(reason: string): string {
  return reason === ""
    ? "one or more images rejected by webhook backend"
    : `image policy webhook backend denied one or more images: ${reason}`;
}

/** The object says it too, as it always did upstream. */
function failOpen(names: Names, { auditAnnotations, object }: AdmissionRequest): void {
  auditAnnotations.set(`${names.imagePolicyAuditPrefix}failed-open`, "true");
  const { metadata } = object!;
  metadata.annotations = { ...metadata.annotations, [names.imagePolicyFailedOpenAnnotation]: "true" };
}

function reviewSpec(names: Names, { object, subresource, namespace }: AdmissionRequest): Record<string, Json> {
  const { metadata, spec } = object as unknown as Pod;
  const containers =
    subresource === ""
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
      : (spec.ephemeralContainers ?? []);
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) =>
    key.includes(names.imagePolicyInfix),
  );
  return {
    ...(containers.length === 0 ? {} : { containers: containers.map(({ image = "" }) => ({ image })) }),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    ...(namespace === "" ? {} : { namespace }),
  };
}

/** Fails when there is no answer that can be used after all attempts. */
function ask(parts: ImagePolicyParts, firstPauseMs: number, spec: Record<string, Json>): Promise<ImageVerdict> {
  const { names, clock } = parts;
  const apiVersion = `${names.group("imagepolicy")}/v1alpha1`;
  const review = { kind: "ImageReview", apiVersion, metadata: {}, spec, status: { allowed: false } };
  const signal = clock.timeoutSignal(TOTAL_TIMEOUT_MS);
  const deps = { clock, random: () => 0, signal };
  return attempt(deps, { ...ATTEMPTS, firstPauseMs }, () => askOnce(parts, review, signal));
}

async function askOnce(
  { post }: ImagePolicyParts,
  review: object,
  signal: AbortSignal,
): Promise<Attempt<ImageVerdict>> {
  let answer: Awaited<ReturnType<ImagePolicyParts["post"]>>;
  try {
    answer = await post(review, { timeoutMs: CALL_TIMEOUT_MS, signal });
  } catch (error) {
    return { problem: error as Error };
  }
  const { status, body } = answer;
  if (status >= 200 && status <= 299) return { value: readVerdict(body) };
  const problem = new Error(failedAnswerText(status, body));
  if (status < 500 && status !== 429) throw problem;
  return { problem };
}

/** Fails when it is none. */
function readVerdict(body: Uint8Array): ImageVerdict {
  let value: Json;
  try {
    value = decodeJson(body).value as Json;
  } catch (error) {
    throw new Error(`the answer is not JSON: ${(error as Error).message}`);
  }
  const status = isObject(value) ? value["status"] : undefined;
  if (!isObject(status)) throw new Error("the answer has no status");
  const { allowed, reason, auditAnnotations } = status;
  const annotations = Object.entries(isObject(auditAnnotations) ? auditAnnotations : {});
  return {
    allowed: allowed === true,
    reason: typeof reason === "string" ? reason : "",
    auditAnnotations: new Map(annotations.filter((entry): entry is [string, string] => typeof entry[1] === "string")),
  };
}
