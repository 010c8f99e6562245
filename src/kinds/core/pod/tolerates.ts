// Whether a pod puts up with a taint of a node. Pure.

import type { Taint, Toleration } from "./toleration.ts";

export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key = "", operator = "Equal", value = "", effect = "" }) => {
    if (effect !== "" && effect !== taint.effect) return false;
    if (key !== "" && key !== taint.key) return false;
    // Without a key every taint is meant, but only by Exists.
    if (operator === "Exists") return true;
    return key !== "" && value === (taint.value ?? "");
  });
}
