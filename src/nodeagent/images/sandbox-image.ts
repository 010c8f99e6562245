// The image that the runtime makes sandboxes of. Newer runtimes mark it as one that stays; older ones only know its name.

import { isObject } from "../../base/json.ts";
import type { CriClient } from "../cri/cri-client.ts";

/** Undefined where the runtime does not say, or does not have it. */
export async function sandboxImageId(cri: Pick<CriClient, "status" | "imageStatus">): Promise<string | undefined> {
  const { info } = await cri.status({ verbose: true });
  const name = sandboxImageOf(info["config"] ?? "{}");
  if (name === undefined) return undefined;
  const { image } = await cri.imageStatus({ image: { image: name } });
  return image?.id;
}

/** Of the runtime's own configuration, as it shows it. */
function sandboxImageOf(json: string): string | undefined {
  try {
    const config: unknown = JSON.parse(json);
    const name = isObject(config) ? config["sandboxImage"] : undefined;
    return typeof name === "string" && name !== "" ? name : undefined;
  } catch {
    return undefined;
  }
}
