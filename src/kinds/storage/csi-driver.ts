// CSIDriver: how a storage driver wants to be treated.

import { equalJson } from "../../base/json.ts";
import { duplicate, type FieldError, notSupported, required, tooLong } from "../../meta/field-error.ts";
import { nextGeneration } from "../../meta/object.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { checkFields, FILLED } from "../../schema/check-fields.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type CSIDriver = ObjectOf<typeof csiDriverSchema>;

const csiDriverSchema = objectSchema(
  "storage.v1.CSIDriver",
  "How a storage driver wants to be treated. Its name is that of the driver.",
  () => ({
    spec: s.of(csiDriverSpec, 2, "What the driver needs and can do."),
  }),
);

export const csiDriver = defineKind({
  group: "storage",
  version: "v1",
  kind: "CSIDriver",
  resource: "csidrivers",
  scope: "Cluster",
  schema: csiDriverSchema,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "AttachRequired", type: "boolean", cell: ({ spec }) => spec.attachRequired ?? true },
    { name: "PodInfoOnMount", type: "boolean", cell: ({ spec }) => spec.podInfoOnMount ?? false },
    { name: "StorageCapacity", type: "boolean", cell: ({ spec }) => spec.storageCapacity ?? false },
    { name: "TokenRequests", type: "string", cell: tokenRequestsCell },
    { name: "RequiresRepublish", type: "boolean", cell: ({ spec }) => spec.requiresRepublish ?? false },
    {
      name: "Modes",
      type: "string",
      cell: ({ spec }) => (spec.volumeLifecycleModes?.length ? spec.volumeLifecycleModes.join(",") : "<none>"),
    },
    AGE_COLUMN,
  ],
  hooks: {
    default({ spec }) {
      spec.attachRequired ??= true;
      spec.podInfoOnMount ??= false;
      spec.storageCapacity ??= false;
      spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
      if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
      spec.requiresRepublish ??= false;
      spec.seLinuxMount ??= false;
    },
    prepareForUpdate({ metadata, spec }, old) {
      // Created without one, it counts the changes.
      if (!equalJson(spec, old.spec)) metadata.generation = nextGeneration(old.metadata);
    },
    validate: validateCsiDriver,
    validateUpdate: validateCsiDriverUpdate,
  },
});

function tokenRequestsCell({ spec }: CSIDriver): string {
  if (!spec.tokenRequests?.length) return "<unset>";
  return spec.tokenRequests.map(({ audience }) => audience).join(",");
}

type CSIDriverSpec = ObjectOf<typeof csiDriverSpec>;

const csiDriverSpec = s.struct("storage.v1.CSIDriverSpec", "What a storage driver needs and can do.", () => ({
  attachRequired: ptr.boolean(
    1,
    "True (the default) if volumes must be attached before they are mounted; false skips that step. Cannot change.",
  ),
  podInfoOnMount: ptr.boolean(
    2,
    "True if mounting needs to know the pod's name, namespace, uid and service account; false if not set.",
    { must: FILLED },
  ),
  volumeLifecycleModes: opt.set(
    "string",
    3,
    "Persistent (the default): through claims; Ephemeral: written in the pod, living as long as it. Cannot change.",
    { alias: "VolumeLifecycleMode" },
  ),
  storageCapacity: ptr.boolean(
    4,
    "True if the scheduler shall wait for and respect the reported capacity of the driver; false if not set.",
    { must: FILLED },
  ),
  fsGroupPolicy: ptr.named(
    "FSGroupPolicy",
    5,
    "Who may change the group of files: ReadWriteOnceWithFSType (the default) decides by volume; File always does; None never.",
    { must: { listed: ["File", "None", "ReadWriteOnceWithFSType"] } },
  ),
  tokenRequests: opt.atomic(
    tokenRequest,
    6,
    "Tokens of the pod's service account that the driver gets when mounting, each for one audience.",
  ),
  requiresRepublish: ptr.boolean(
    7,
    "True if mounting shall be repeated now and then, for contents that change, such as tokens; false if not set.",
  ),
  seLinuxMount: ptr.boolean(
    8,
    "True if the driver can mount with an SELinux label for the whole volume instead of relabelling files. False if not set.",
    { gate: "SELinuxMountReadWriteOncePod" },
  ),
  nodeAllocatableUpdatePeriodSeconds: ptr.int64(
    9,
    "Seconds between updates of how many volumes a node can take; at least 10. Not set, it stays as first reported.",
    { gate: "MutableCSINodeAllocatableCount", must: { amount: periodProblems } },
  ),
}));

const tokenRequest = s.struct("storage.v1.TokenRequest", "A token that a storage driver wants.", () => ({
  audience: s.string(1, "Who shall accept the token; empty means the server itself."),
  expirationSeconds: ptr.int64(2, "Seconds that the token shall be valid; at least 600. Not set, an hour.", {
    must: { amount: lifetimeProblems },
  }),
}));

const periodProblems = (seconds: number | bigint): string[] =>
  seconds < 10 ? ["must be greater than or equal to 10 seconds"] : [];

function lifetimeProblems(seconds: number | bigint): string[] {
  if (seconds < 600) return ["may not specify a duration less than 10 minutes"];
  return seconds > 2 ** 32 ? ["may not specify a duration larger than 2^32 seconds"] : [];
}

const MAX_NAME_BYTES = 63;
const MODES = ["Persistent", "Ephemeral"];

function validateCsiDriver({ metadata, spec }: CSIDriver, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  // The name is the driver's: it is used where longer ones have no place.
  if (Buffer.byteLength(metadata.name ?? "") > MAX_NAME_BYTES) errors.push(tooLong("metadata.name", MAX_NAME_BYTES));
  return [...errors, ...validateSpec(spec, context)];
}

function validateCsiDriverUpdate({ spec }: CSIDriver, old: CSIDriver, context: HookContext): FieldError[] {
  const errors = validateSpec(spec, context);
  checkImmutable(spec.attachRequired, old.spec.attachRequired, "spec.attachedRequired", errors);
  checkImmutable(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, "spec.volumeLifecycleModes", errors);
  return errors;
}

function validateSpec(spec: CSIDriverSpec, { gateEnabled }: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.attachRequired === undefined) errors.push(required("spec.attachedRequired"));
  checkFields(spec, csiDriverSpec, "spec", errors, ["podInfoOnMount", "storageCapacity", "fsGroupPolicy"]);
  checkTokenRequests(spec.tokenRequests ?? [], errors);
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (!MODES.includes(mode)) errors.push(notSupported("spec.volumeLifecycleModes", mode, MODES));
  }
  if (gateEnabled("SELinuxMountReadWriteOncePod") && spec.seLinuxMount === undefined) {
    errors.push(required("spec.seLinuxMount"));
  }
  checkFields(spec, csiDriverSpec, "spec", errors, ["nodeAllocatableUpdatePeriodSeconds"]);
  return errors;
}

function checkTokenRequests(requests: NonNullable<CSIDriverSpec["tokenRequests"]>, errors: FieldError[]): void {
  const seen = new Set<string>();
  requests.forEach((request, index) => {
    const { audience } = request;
    const at = `spec.tokenRequests[${index}]`;
    if (seen.has(audience)) errors.push(duplicate(`${at}.audience`, audience));
    else checkFields(request, tokenRequest, at, errors);
    seen.add(audience);
  });
}
