// EndpointSlice: a part of the addresses behind a service.

import { equalJson } from "../../base/json.ts";
import { nextGeneration } from "../../meta/object.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { rowFields } from "../cells/row-fields.ts";
import { firstOf } from "../cells/text.ts";
import { defineKind } from "../define-kind.ts";
import { restore } from "../subresources.ts";
import type { EndpointSlice } from "./endpoint-slice-schema.ts";
import { endpointSliceSchema } from "./endpoint-slice-schema.ts";
import {
  validateEndpointSlice,
  validateEndpointSliceUpdate,
  warnAboutEndpointSlice,
} from "./endpoint-slice-validation.ts";

export type { EndpointSlice } from "./endpoint-slice-schema.ts";

export const endpointSlice = defineKind({
  group: "discovery",
  version: "v1",
  kind: "EndpointSlice",
  resource: "endpointslices",
  scope: "Namespaced",
  schema: endpointSliceSchema,
  unconditionalUpdate: true,
  generation: "andLabels",
  rowFields: rowFields("addressType", "ports.name", "ports.port", "endpoints.addresses"),
  columns: [
    NAME_COLUMN,
    { name: "AddressType", type: "string", cell: (slice) => slice.addressType },
    { name: "Ports", type: "string", cell: portsCell },
    { name: "Endpoints", type: "string", cell: endpointsCell },
    AGE_COLUMN,
  ],
  hooks: {
    default({ ports }) {
      for (const port of ports ?? []) {
        port.name ??= "";
        port.protocol ??= "TCP";
      }
    },
    prepareForCreate(slice, { gateEnabled }) {
      if (!gateEnabled(NODE_HINTS_GATE)) dropNodeHints(slice);
      dropTopology(slice);
    },
    prepareForUpdate(slice, old, { gateEnabled }) {
      // A list that stays empty has not changed, whether it is empty or null.
      for (const list of ["endpoints", "ports"] as const) {
        if (!slice[list]?.length && !old[list]?.length) restore(slice, old, list);
      }
      if (!gateEnabled(NODE_HINTS_GATE) && !hasNodeHints(old)) dropNodeHints(slice);
      // The old topology may only stay where nothing else has changed.
      if (equalJson(slice.endpoints ?? [], old.endpoints ?? [])) return;
      dropTopology(slice);
      // As upstream counts: also a change that is then dropped is one.
      slice.metadata.generation = nextGeneration(old.metadata);
    },
    validate: validateEndpointSlice,
    validateUpdate: validateEndpointSliceUpdate,
    warn: warnAboutEndpointSlice,
  },
});

const NODE_HINTS_GATE = "PreferSameTrafficDistribution";

function hasNodeHints({ endpoints }: EndpointSlice): boolean {
  return (endpoints ?? []).some(({ hints }) => hints?.forNodes !== undefined);
}

function dropNodeHints({ endpoints }: EndpointSlice): void {
  for (const { hints } of endpoints ?? []) delete hints?.forNodes;
}

function dropTopology({ endpoints }: EndpointSlice): void {
  for (const endpoint of endpoints ?? []) delete endpoint.deprecatedTopology;
}

const SHOWN = 3;

function portsCell({ ports }: EndpointSlice): string {
  const words = (ports ?? []).map(({ name, port }) => String(port ?? name ?? ""));
  return firstOf(words, SHOWN) || "<unset>";
}

function endpointsCell({ endpoints }: EndpointSlice): string {
  return (
    firstOf(
      (endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
      SHOWN,
    ) || "<unset>"
  );
}
