// A short word for a template of pods: the label that tells the pods and the ReplicaSets of one template from those of
// another, and the end of their names.

import { canonicalText, equalJson } from "../../base/json.ts";
import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";

export const TEMPLATE_HASH_LABEL = "pod-template-hash";

/** `collisionCount` makes another word of the same template, once the first turned out to be taken. */
export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  const text = collisionCount === undefined ? canonicalText(template) : `${canonicalText(template)}#${collisionCount}`;
  return safeWord(String(fnv1a32(Buffer.from(text))));
}

/** Whether two templates ask for the same pods; the label that the controller adds does not count. */
export function equalTemplates(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return equalJson(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [TEMPLATE_HASH_LABEL]: _hash, ...labels } = template.metadata.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

function fnv1a32(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Letters and digits that neither spell words nor look alike, as in all generated names. */
const SAFE = "bcdfghjklmnpqrstvwxz2456789";

function safeWord(text: string): string {
  return Array.from(text, (character) => SAFE[character.charCodeAt(0) % SAFE.length]).join("");
}
