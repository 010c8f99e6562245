// Admission by flag: nobody claims new external addresses for a service.

import type { Service } from "../kinds/core/service.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { concerns } from "./match-request.ts";
import { refusal } from "./refusal.ts";

export const denyServiceExternalIPs: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  handles: (request) =>
    (request.operation === "CREATE" || request.operation === "UPDATE") && concerns(request, "", "services"),
  validate(request) {
    const before = new Set((request.oldObject as unknown as Service | undefined)?.spec.externalIPs ?? []);
    const { externalIPs } = (request.object as unknown as Service).spec;
    if ((externalIPs ?? []).every((address) => before.has(address))) return;
    throw refusal(request, "Use of external IPs is denied by admission control");
  },
};
