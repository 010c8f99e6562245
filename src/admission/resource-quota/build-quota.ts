// ResourceQuota put together: the plug-in that charges, and the ledger. What is really used is counted by a controller.

import type { ResourceQuota } from "../../kinds/core/resource-quota.ts";
import type { AdmissionPlugin } from "../../registry/admission.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { QuotaLedger } from "./charge.ts";
import { resourceQuota } from "./resource-quota.ts";

export function quotaPlugin({ names, catalog, clock, mirrors, writeDeps }: PluginParts): AdmissionPlugin {
  const quotas = mirrors.projected<ResourceQuota>("", "v1", "resourcequotas", {
    project: (object) => object as unknown as ResourceQuota,
  })!;
  const ledger = new QuotaLedger(writeDeps, catalog.own("", "v1", "resourcequotas")!);
  return resourceQuota({ names, clock, quotas, ledger });
}
