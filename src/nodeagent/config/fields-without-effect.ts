// Fields that are known, because clusters set them, but that nothing here acts on yet. An agent that is given one says so
// when it starts. test/house keeps this list true.

import { equalJson, type JsonObject } from "../../base/json.ts";
import { completeStruct } from "../../options/complete-config.ts";
import { configurationFields } from "./configuration.ts";

export const FIELDS_WITHOUT_EFFECT: ReadonlySet<string> = new Set<keyof typeof configurationFields>([
  "enableContentionProfiling",
  "enableProfilingHandler",
  "enableDebugFlagsHandler",
  "hairpinMode",
  "runOnce",
  "configMapAndSecretChangeDetectionStrategy",
  "volumePluginDir",
  "makeIPTablesUtilChains",
  "iptablesMasqueradeBit",
  "iptablesDropBit",
  "contentType",
  "tracing",
]);

/** Those that are set to something else than their default. */
export function fieldsWithoutEffect(shown: JsonObject): string[] {
  const defaults = completeStruct(configurationFields, {});
  return [...FIELDS_WITHOUT_EFFECT].filter((field) => !equalJson(shown[field], defaults[field]));
}
