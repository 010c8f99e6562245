// Ingress: routes HTTP from outside to services.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { orNone } from "../cells/text.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import type { Ingress } from "./ingress-schema.ts";
import { ingressSchema } from "./ingress-schema.ts";
import {
  validateIngress,
  validateIngressStatus,
  validateIngressUpdate,
  warnAboutIngress,
  warnAboutIngressStatus,
} from "./ingress-validation.ts";

export type { Ingress } from "./ingress-schema.ts";

export const ingress = defineKind({
  group: "networking",
  version: "v1",
  kind: "Ingress",
  resource: "ingresses",
  scope: "Namespaced",
  shortNames: ["ing"],
  schema: ingressSchema,
  storagePrefix: "ingress",
  unconditionalUpdate: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "Class", type: "string", cell: (ingress) => orNone(ingress.spec.ingressClassName) },
    { name: "Hosts", type: "string", cell: hostsCell },
    { name: "Address", type: "string", cell: addressCell },
    { name: "Ports", type: "string", cell: (ingress) => (ingress.spec.tls?.length ? "80, 443" : "80") },
    AGE_COLUMN,
  ],
  subresources: {
    status: {
      ...statusSubresource<Ingress>(),
      validateUpdate: validateIngressStatus,
      warn: warnAboutIngressStatus,
    },
  },
  hooks: {
    prepareForCreate(ingress) {
      ingress.status = { loadBalancer: {} };
    },
    prepareForUpdate: keepStatus,
    validate: validateIngress,
    validateUpdate: validateIngressUpdate,
    warn: warnAboutIngress,
  },
});

const SHOWN_HOSTS = 3;

function hostsCell({ spec }: Ingress): string {
  const rules = spec.rules ?? [];
  const named = rules.filter(({ host }) => host);
  const hosts = named
    .slice(0, SHOWN_HOSTS)
    .map(({ host }) => host)
    .join(",");
  // As upstream counts: rules without hosts are among those that are left, if any stands behind the last that is shown.
  const isCut = named.length >= SHOWN_HOSTS && named[SHOWN_HOSTS - 1] !== rules.at(-1);
  return isCut ? `${hosts} + ${rules.length - SHOWN_HOSTS} more...` : hosts || "*";
}

function addressCell({ status }: Ingress): string {
  const addresses = (status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  return [...new Set(addresses)]
    .filter((address) => address !== "")
    .sort()
    .join(",");
}
