// What is done with long YAML, in another thread or here: bytes in, bytes out, so that nothing but bytes changes threads.

import { CrowdedMap, DecodeError } from "../../codec/decode-error.ts";
import { decodeJson, encodeJsonPlain } from "../../codec/json.ts";
import { decodeYaml, encodeYaml } from "../../codec/yaml.ts";

export type YamlJob =
  | { readonly task: "read"; readonly bytes: Uint8Array; readonly maxKeys: number }
  | { readonly task: "write"; readonly bytes: Uint8Array };

/** YAML as JSON, JSON as YAML, or why there is none. */
export type YamlOutcome =
  | { readonly bytes: Uint8Array; readonly duplicates: readonly string[] }
  | { readonly problem: string; readonly crowded: boolean };

export function doYamlJob(job: YamlJob): YamlOutcome {
  if (job.task === "write") return { bytes: encodeYaml(decodeJson(job.bytes).value), duplicates: [] };
  try {
    const { value, duplicates } = decodeYaml(job.bytes, job.maxKeys);
    return { bytes: encodeJsonPlain(value), duplicates };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { problem: error.message, crowded: error instanceof CrowdedMap };
  }
}
