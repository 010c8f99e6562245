// What one check of pod security is.

import type { Names } from "../../meta/names.ts";
import type { Finding, PodTemplate } from "./pod-parts.ts";

export interface CheckContext {
  readonly names: Names;
  readonly minor: number;
  /** Being root inside a user namespace of its own is not being root. */
  readonly relaxedByUserNamespace: boolean;
}

export interface Check {
  readonly id: string;
  /** The minor version that brought it. */
  readonly since: number;
  /** The one that replaced it. */
  readonly until?: number;
  /** The weaker check of the level below. */
  readonly replaces?: string;
  check(pod: PodTemplate, context: CheckContext): Finding | undefined;
}
