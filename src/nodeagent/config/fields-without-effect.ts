// Parts of fields that are known, because clusters set them, but that nothing here acts on.

import type { JsonObject } from "../../base/json.ts";
import { completeStruct } from "../../options/complete-config.ts";
import { LOGGING_WITHOUT_EFFECT } from "../../options/logging-fields.ts";
import { unusedFields } from "../../options/unused-fields.ts";
import { configurationFields } from "./configuration.ts";

/** An agent tells of them when it starts, where they are set to something else than their default. */
export function fieldsWithoutEffect(shown: JsonObject): string[] {
  return unusedFields(LOGGING_WITHOUT_EFFECT, shown, completeStruct(configurationFields, {}));
}
