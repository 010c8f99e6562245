// CSINode: the storage drivers of a node.

import { indexBy } from "../../base/index-by.ts";
import { equalButEmptyLists } from "../../base/json.ts";
import { duplicate, type FieldError, invalid, required } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, ptr, s, shown } from "../../schema/builder.ts";
import { checkFields, INSIDE, NOT_NEGATIVE } from "../../schema/check-fields.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems, DRIVER_NAME, IMMUTABLE } from "../meta/value-checks.ts";

export type CSINode = ObjectOf<typeof csiNodeSchema>;

const csiNodeSchema = objectSchema(
  "storage.v1.CSINode",
  "The storage drivers of a node. Its name is that of the node; written by the node agent.",
  () => ({
    spec: s.of(csiNodeSpec, 2, "The drivers that are installed."),
  }),
);

export const csiNode = defineKind({
  group: "storage",
  version: "v1",
  kind: "CSINode",
  resource: "csinodes",
  scope: "Cluster",
  schema: csiNodeSchema,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "Drivers", type: "integer", cell: (node) => node.spec.drivers?.length ?? 0 },
    AGE_COLUMN,
  ],
  hooks: { validate: validateCsiNode, validateUpdate: validateCsiNodeUpdate },
});

const csiNodeSpec = s.struct("storage.v1.CSINodeSpec", "The storage drivers that are installed on a node.", () => ({
  drivers: s.listBy("name", csiNodeDriver, 1, "One entry for each driver; empty when none is installed."),
}));

type CSINodeDriver = ObjectOf<typeof csiNodeDriver>;

const csiNodeDriver = s.struct("storage.v1.CSINodeDriver", "A storage driver on a node.", () => ({
  name: s.string(1, "The name of the driver, as it reports itself.", { must: DRIVER_NAME }),
  nodeID: s.string(2, "What the driver calls the node, which may differ from the node's name.", {
    must: { filled: true, form: nodeIdProblems },
  }),
  topologyKeys: shown.atomic(
    "string",
    3,
    "Labels of the node that tell where its volumes can be reached; each has a value on the node.",
  ),
  allocatable: ptr.of(
    volumeNodeResources,
    4,
    "How much the driver can take on this node; not set, there is no known limit.",
    { must: INSIDE },
  ),
}));

const volumeNodeResources = s.struct(
  "storage.v1.VolumeNodeResources",
  "How many volumes of a driver a node can take.",
  () => ({
    count: ptr.int32(1, "The most volumes that may be used on the node at once; not set, no limit.", {
      must: NOT_NEGATIVE,
    }),
  }),
);

const MAX_NODE_ID_BYTES = 256;

const nodeIdProblems = (id: string): string[] =>
  Buffer.byteLength(id) > MAX_NODE_ID_BYTES ? [`must be ${MAX_NODE_ID_BYTES} characters or less`] : [];

function validateCsiNode({ spec }: CSINode): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (spec.drivers ?? []).forEach((driver, index) => {
    const at = `spec.drivers[${index}]`;
    checkDriver(driver, at, errors);
    if (seen.has(driver.name)) errors.push(duplicate(`${at}.name`, driver.name));
    seen.add(driver.name);
  });
  return errors;
}

function validateCsiNodeUpdate(node: CSINode, old: CSINode, { gateEnabled }: HookContext): FieldError[] {
  const errors = validateCsiNode(node);
  const mayCountAgain = gateEnabled("MutableCSINodeAllocatableCount");
  const drivers = indexBy(node.spec.drivers, ({ name }) => name);
  for (const before of old.spec.drivers ?? []) {
    const driver = drivers.get(before.name);
    if (driver === undefined) continue;
    const { allocatable: _now, ...now } = driver;
    const { allocatable: _before, ...was } = before;
    if (mayCountAgain ? equalButEmptyLists(now, was) : equalButEmptyLists(driver, before)) continue;
    errors.push(invalid("spec.drivers", internalForm(driver, csiNodeDriver), IMMUTABLE));
  }
  return errors;
}

function checkDriver(driver: CSINodeDriver, at: string, errors: FieldError[]): void {
  checkFields(driver, csiNodeDriver, at, errors);
  const seen = new Set<string>();
  for (const key of driver.topologyKeys ?? []) {
    if (key === "") errors.push(required(at));
    if (seen.has(key)) errors.push(duplicate(at, key));
    seen.add(key);
    addProblems(errors, at, key, qualifiedNameProblems(key));
  }
}
