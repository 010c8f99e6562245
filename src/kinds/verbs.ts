// The verbs that nearly every stored kind has.

import type { Verb } from "./define-kind.ts";

export const ALL_VERBS: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
