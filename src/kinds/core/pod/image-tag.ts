// The pull policy of an image.

import { parseImage } from "../../../meta/image-reference.ts";

/** The policy for an image that has none: a tag that moves is always pulled. */
export function defaultPullPolicy(image: string | undefined): "Always" | "IfNotPresent" {
  const parsed = parseImage(image ?? "");
  if (parsed === undefined) return "IfNotPresent";
  const tag = parsed.tag ?? (parsed.digest === undefined ? "latest" : undefined);
  return tag === "latest" ? "Always" : "IfNotPresent";
}
