// Service: a stable address for a set of pods.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { labelsText } from "../cells/selectors.ts";
import { clusterIpCell, externalIpCell, servicePortsCell } from "../cells/services.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { defaultService, dropTypeDependentFields } from "./service/defaults.ts";
import { type Service, serviceSchema } from "./service/schema.ts";
import {
  validateServiceStatus,
  validateServiceUpdate,
  warnAboutService,
  warnAboutServiceStatus,
} from "./service/update.ts";
import { validateService } from "./service/validation.ts";

export type { Service } from "./service/schema.ts";

export const service = defineKind({
  group: "",
  version: "v1",
  kind: "Service",
  resource: "services",
  scope: "Namespaced",
  shortNames: ["svc"],
  categories: ["all"],
  schema: serviceSchema,
  storagePrefix: "services/specs",
  createOnUpdate: true,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  name: "dns1035Label",
  gatedName: { gate: "RelaxedServiceNameValidation", name: "dns1123Label" },
  columns: [
    NAME_COLUMN,
    { name: "Type", type: "string", cell: (service) => service.spec.type ?? "" },
    { name: "Cluster-IP", type: "string", cell: clusterIpCell },
    { name: "External-IP", type: "string", cell: externalIpCell },
    { name: "Port(s)", type: "string", cell: servicePortsCell },
    AGE_COLUMN,
    { name: "Selector", type: "string", priority: 1, cell: (service) => labelsText(service.spec.selector) },
  ],
  selectableFields: {
    "spec.clusterIP": (service) => service.spec.clusterIP ?? "",
    "spec.type": (service) => service.spec.type ?? "",
  },
  subresources: {
    status: { ...statusSubresource<Service>(), validateUpdate: validateServiceStatus, warn: warnAboutServiceStatus },
    proxy: {
      type: "special",
      verbs: ["create", "delete", "get", "patch", "update"],
      body: { group: "", version: "v1", kind: "ServiceProxyOptions" },
    },
  },
  hooks: {
    default: defaultService,
    prepareForCreate(service) {
      service.status = { loadBalancer: {} };
    },
    prepareForUpdate(service, old) {
      keepStatus(service, old);
      dropTypeDependentFields(service, old);
    },
    validate: (service, context) => validateService(service, undefined, context),
    validateUpdate: validateServiceUpdate,
    warn: warnAboutService,
    canonicalize({ spec }) {
      // Nobody inside is sent there.
      if (spec.type === "ExternalName") delete spec.internalTrafficPolicy;
    },
  },
});
