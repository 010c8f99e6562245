// The settings of ImagePolicyWebhook: whom to ask, and how long answers are good.

import { isObject, type JsonObject } from "../../base/json.ts";
import { StartError } from "../../base/start-error.ts";

export interface ImagePolicySettings {
  /** File in kubeconfig format that says who judges. */
  readonly kubeConfigFile: string;
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly retryBackoffMs: number;
  /** What becomes of pods while nobody answers. */
  readonly defaultAllow: boolean;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** [the field, its unit, smallest, largest, what 0 and absence mean], all but the name in milliseconds. */
const TIMES = {
  retryBackoff: [1, 1, 5 * MINUTE_MS, 500],
  allowTTL: [SECOND_MS, SECOND_MS, 30 * MINUTE_MS, 5 * MINUTE_MS],
  denyTTL: [SECOND_MS, SECOND_MS, 30 * MINUTE_MS, 30 * SECOND_MS],
} as const;

/** Fails with StartError. */
export function readImagePolicySettings(settings: JsonObject | undefined): ImagePolicySettings {
  const config = settings?.["imagePolicy"];
  if (!isObject(config)) {
    throw new StartError(
      "ImagePolicyWebhook needs settings: name a file with --admission-control-config-file that holds its imagePolicy",
    );
  }
  const { kubeConfigFile, defaultAllow = false } = config;
  if (typeof kubeConfigFile !== "string" || kubeConfigFile === "")
    throw new StartError("ImagePolicyWebhook: imagePolicy.kubeConfigFile: must name a file");
  if (typeof defaultAllow !== "boolean")
    throw new StartError("ImagePolicyWebhook: imagePolicy.defaultAllow: must be true or false");
  return {
    kubeConfigFile,
    defaultAllow,
    retryBackoffMs: timeOf(config, "retryBackoff"),
    allowTtlMs: timeOf(config, "allowTTL"),
    denyTtlMs: timeOf(config, "denyTTL"),
  };
}

/** -1 switches the thing off. */
function timeOf(config: JsonObject, field: keyof typeof TIMES): number {
  const [unitMs, minMs, maxMs, defaultMs] = TIMES[field];
  const value = config[field] ?? 0;
  const at = `ImagePolicyWebhook: imagePolicy.${field}`;
  if (typeof value !== "number" || !Number.isInteger(value)) throw new StartError(`${at}: must be a whole number`);
  if (value === -1) return 0;
  if (value === 0) return defaultMs;
  const ms = value * unitMs;
  if (ms < minMs || ms > maxMs)
    throw new StartError(`${at}: valid value is between ${minMs / unitMs} and ${maxMs / unitMs}, got ${value}`);
  return ms;
}
