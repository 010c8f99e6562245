// Fields that are known, because clusters set them, but that nothing here acts on. test/house keeps these lists true.

import type { JsonObject } from "../../base/json.ts";
import { completeStruct } from "../../options/complete-config.ts";
import { LOGGING_WITHOUT_EFFECT } from "../../options/logging-fields.ts";
import { unusedFields } from "../../options/unused-fields.ts";
import { configurationFields } from "./configuration.ts";

export const FIELDS_WITHOUT_EFFECT: ReadonlySet<string> = new Set<keyof typeof configurationFields>([
  "hairpinMode",
  "runOnce",
  "volumePluginDir",
  "iptablesMasqueradeBit",
  "iptablesDropBit",
]);

/** On these upstream does not act either any more: nobody needs to hear of them. */
const OF_THE_PAST: ReadonlySet<string> = new Set([
  "hairpinMode",
  "runOnce",
  "iptablesMasqueradeBit",
  "iptablesDropBit",
]);

/** Those that an agent tells of when it starts: set to something else than their default; and parts of others. */
export function fieldsWithoutEffect(shown: JsonObject): string[] {
  const paths = [...FIELDS_WITHOUT_EFFECT].filter((path) => !OF_THE_PAST.has(path));
  return unusedFields([...paths, ...LOGGING_WITHOUT_EFFECT], shown, completeStruct(configurationFields, {}));
}
