// For tests: the paths of a small set.

import { atOnce } from "../base/steps.ts";
import type { FieldSet } from "./field-set.ts";
import { listPathsInSteps } from "./field-set-in-steps.ts";
import type { FieldPath } from "./path-element.ts";

export const listPaths = (set: FieldSet): FieldPath[] => atOnce(listPathsInSteps(set));
