// Profiles of AppArmor that a pod still says in annotations: new pods get them in the fields that have replaced those.

import { equalJson } from "../../../base/json.ts";
import type { Names } from "../../../meta/names.ts";
import { allContainers } from "./containers.ts";
import type { Pod } from "./schema.ts";
import type { AppArmorProfile } from "./security-context.ts";
import { checkAppArmor } from "./security-validation.ts";

/** What was said of pods on the way, until somebody asks. */
const warnings = new WeakMap<Pod, readonly string[]>();

/** Changes the pod: each container gets the profile that its annotation names, unless it has one. */
export function profilesFromAnnotations(pod: Pod, names: Names): void {
  const { annotations } = pod.metadata;
  if (annotations === undefined || pod.spec.os?.name === "windows") return;
  const said: string[] = [];
  for (const { container } of allContainers(pod.spec)) {
    const key = names.appArmorContainerPrefix + container.name;
    const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    if (text === undefined || container.securityContext?.appArmorProfile !== undefined) continue;
    const profile = profileOf(text);
    // What the whole pod says need not be said again.
    if (profile !== undefined && equalJson(profile, pod.spec.securityContext?.appArmorProfile)) continue;
    if (profile !== undefined) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
    said.push(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
  if (said.length > 0) warnings.set(pod, said);
}

export const annotationWarnings = (pod: Pod): readonly string[] => warnings.get(pod) ?? [];

const LOCALHOST = "localhost/";

/** Undefined where the text names none, or none that may be. */
function profileOf(text: string): AppArmorProfile | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default") return { type: "RuntimeDefault" };
  if (!text.startsWith(LOCALHOST)) return undefined;
  const profile: AppArmorProfile = { type: "Localhost", localhostProfile: text.slice(LOCALHOST.length) };
  const problems: Parameters<typeof checkAppArmor>[2] = [];
  checkAppArmor(profile, "", problems);
  return problems.length === 0 ? profile : undefined;
}
