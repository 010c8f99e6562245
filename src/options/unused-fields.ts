// Which fields of a configuration say something though nothing acts on them: whoever sets one is told. Pure.

import { equalJson, isObject, type Json, type JsonObject } from "../base/json.ts";

/** Those of `paths` ("logging.vmodule") that differ from their defaults. */
export function unusedFields(paths: Iterable<string>, shown: JsonObject, defaults: JsonObject): string[] {
  return [...paths].filter((path) => !equalJson(valueAt(shown, path), valueAt(defaults, path)));
}

function valueAt(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path.split(".")) value = isObject(value) ? value[name] : undefined;
  return value;
}
