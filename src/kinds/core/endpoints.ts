// Endpoints: the addresses behind a service; EndpointSlice has taken its place.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { firstOf } from "../cells/text.ts";
import { defineKind } from "../define-kind.ts";
import type { Endpoints } from "./endpoints-schema.ts";
import { endpointsSchema } from "./endpoints-schema.ts";
import { validateEndpoints, validateEndpointsUpdate, warnAboutEndpoints } from "./endpoints-validation.ts";

export type { Endpoints } from "./endpoints-schema.ts";

export const endpoints = defineKind({
  group: "",
  version: "v1",
  kind: "Endpoints",
  resource: "endpoints",
  scope: "Namespaced",
  shortNames: ["ep"],
  schema: endpointsSchema,
  storagePrefix: "services/endpoints",
  createOnUpdate: true,
  unconditionalUpdate: true,
  deprecated: {
    warning: (names) => `v1 Endpoints is deprecated in v1.33+; use ${names.group("discovery")}/v1 EndpointSlice`,
    since: "1.33",
  },
  columns: [NAME_COLUMN, { name: "Endpoints", type: "string", cell: endpointsCell }, AGE_COLUMN],
  hooks: {
    default(endpoints) {
      for (const port of (endpoints.subsets ?? []).flatMap((subset) => subset.ports ?? [])) port.protocol ||= "TCP";
    },
    validate: validateEndpoints,
    validateUpdate: validateEndpointsUpdate,
    warn: warnAboutEndpoints,
  },
});

const SHOWN_ENDPOINTS = 3;

function endpointsCell({ subsets }: Endpoints): string {
  if (!subsets?.length) return "<none>";
  const words = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => hostPort(ip, port))),
  );
  return firstOf(words, SHOWN_ENDPOINTS);
}

const hostPort = (ip: string, port: number): string => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`);
