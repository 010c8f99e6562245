// Admission by flag: AlwaysAdmit lets everything pass, AlwaysDeny nothing.

import type { AdmissionPlugin } from "../registry/admission.ts";
import { refusal } from "./refusal.ts";

export const alwaysAdmit: AdmissionPlugin = { name: "AlwaysAdmit", handles: () => false };

export const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  handles: () => true,
  mutate(request) {
    throw refusal(request, "admission control is denying all modifications");
  },
  validate(request) {
    throw refusal(request, "admission control is denying all modifications");
  },
};
