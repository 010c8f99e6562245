// DaemonSet: runs one pod on every node that fits.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { labelsText, selectorCell } from "../cells/selectors.ts";
import { containerColumns } from "../cells/workloads.ts";
import { defineKind } from "../define-kind.ts";
import { statusSubresource } from "../subresources.ts";
import { defaultDaemonSet, prepareForCreate, prepareForUpdate, TEMPLATE_GENERATION } from "./daemon-set-hooks.ts";
import type { DaemonSet } from "./daemon-set-schema.ts";
import { daemonSetSchema } from "./daemon-set-schema.ts";
import {
  validateDaemonSet,
  validateDaemonSetStatus,
  validateDaemonSetUpdate,
  warnDaemonSet,
} from "./daemon-set-validation.ts";

export type { DaemonSet } from "./daemon-set-schema.ts";

export const daemonSet = defineKind({
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  resource: "daemonsets",
  scope: "Namespaced",
  shortNames: ["ds"],
  categories: ["all"],
  schema: daemonSetSchema,
  unconditionalUpdate: true,
  generation: true,
  fieldAnnotations: () => [TEMPLATE_GENERATION],
  columns: [
    NAME_COLUMN,
    { name: "Desired", type: "integer", cell: (set) => set.status.desiredNumberScheduled },
    { name: "Current", type: "integer", cell: (set) => set.status.currentNumberScheduled },
    { name: "Ready", type: "integer", cell: (set) => set.status.numberReady },
    { name: "Up-to-date", type: "integer", cell: (set) => set.status.updatedNumberScheduled ?? 0 },
    { name: "Available", type: "integer", cell: (set) => set.status.numberAvailable ?? 0 },
    { name: "Node Selector", type: "string", cell: (set) => labelsText(set.spec.template.spec.nodeSelector) },
    AGE_COLUMN,
    ...containerColumns<DaemonSet>((set) => set.spec.template),
    { name: "Selector", type: "string", priority: 1, cell: (set) => selectorCell(set.spec.selector) },
  ],
  subresources: { status: { ...statusSubresource<DaemonSet>(), validateUpdate: validateDaemonSetStatus } },
  hooks: {
    default: defaultDaemonSet,
    prepareForCreate,
    prepareForUpdate,
    validate: (set, context) => validateDaemonSet(set, context),
    validateUpdate: validateDaemonSetUpdate,
    warn: warnDaemonSet,
  },
});
