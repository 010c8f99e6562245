// What a patch makes of an object, without a server: the rules for `pctl patch --dry-run=client`.
// Requirements: document 1, "Update mechanisms".

import type { Json } from "../base/json.ts";
import { atOnce } from "../base/steps.ts";
import type { LocalPatch, Patched } from "../cli/offline-server.ts";
import { ALL_KINDS } from "../kinds/all-kinds.ts";
import { KindRegistry } from "../kinds/kind-registry.ts";
import { namesFor } from "../meta/names.ts";
import { parseApiVersion } from "../meta/object.ts";
import { StatusError } from "../meta/status-error.ts";
import { applyJsonPatch, decodeJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../patch/strategic-merge.ts";

/** Undefined for a strategic merge of a custom kind, which has none. */
export function patchObject(patch: LocalPatch): Patched | undefined {
  try {
    const object = patched(patch);
    return object === undefined ? undefined : { object };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // Servers keep the words of an operation to themselves; who patches here may read them.
    return { refused: typeof error.cause === "string" ? error.cause : error.message };
  }
}

function patched({ object, patch, type, dialect }: LocalPatch): Json | undefined {
  if (type === "merge") return atOnce(applyMergePatch(object, patch));
  if (type === "json")
    return applyJsonPatch(object, decodeJsonPatch(patch).operations, { replaceSets: dialect !== "platform" });
  const { apiVersion, kind: word } = object;
  const named = parseApiVersion(String(apiVersion));
  const kinds = new KindRegistry(namesFor(dialect), ALL_KINDS);
  const kind = named === undefined ? undefined : kinds.byKind(named.group, named.version, String(word));
  if (kind === undefined) return undefined;
  return { ...atOnce(applyStrategicMergePatch(object, patch, kind.schema)), apiVersion, kind: word };
}
