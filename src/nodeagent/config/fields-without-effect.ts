// Fields that are known, because clusters set them, but that nothing here acts on yet. An agent that is given one says so
// when it starts. test/house keeps this list true.

import type { JsonObject } from "../../base/json.ts";
import { completeStruct } from "../../options/complete-config.ts";
import { LOGGING_WITHOUT_EFFECT } from "../../options/logging-fields.ts";
import { unusedFields } from "../../options/unused-fields.ts";
import { configurationFields } from "./configuration.ts";

export const FIELDS_WITHOUT_EFFECT: ReadonlySet<string> = new Set<keyof typeof configurationFields>([
  "enableContentionProfiling",
  "hairpinMode",
  "runOnce",
  "volumePluginDir",
  "makeIPTablesUtilChains",
  "iptablesMasqueradeBit",
  "iptablesDropBit",
  "contentType",
]);

/** Those that are set to something else than their default, and parts of others. */
export function fieldsWithoutEffect(shown: JsonObject): string[] {
  const paths = [...FIELDS_WITHOUT_EFFECT, ...LOGGING_WITHOUT_EFFECT];
  return unusedFields(paths, shown, completeStruct(configurationFields, {}));
}
