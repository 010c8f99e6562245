// What a patch makes of a stored object is shaped anew, but for the managers that the server wrote itself: they are nearly
// as large as the rest of the object.

import { isObject, type JsonObject } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import type { ManagedFieldsEntry } from "../meta/object.ts";
import type { ShapedObject } from "./served-resource.ts";

/** Shapes the value; its managers, where they are the `known` ones, are taken over as they are. */
export function* shapeWithManagers(
  value: JsonObject,
  known: ManagedFieldsEntry[] | undefined,
  shape: (value: JsonObject) => Steps<ShapedObject>,
): Steps<ShapedObject> {
  const { metadata } = value;
  const same = known !== undefined && isObject(metadata) && (metadata["managedFields"] as unknown) === known;
  if (!same) return yield* shape(value);
  const apart: JsonObject = {};
  for (const key in metadata) if (key !== "managedFields") apart[key] = metadata[key];
  const shaped = yield* shape({ ...value, metadata: apart });
  shaped.object.metadata.managedFields = known;
  return shaped;
}
