// ResourceQuota put together: the plug-in that charges, the ledger, and the recount that keeps it true.

import type { ResourceQuota } from "../../kinds/core/resource-quota.ts";
import type { AdmissionPlugin } from "../../registry/admission.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { QuotaLedger } from "./charge.ts";
import { QuotaRecount } from "./recount.ts";
import { resourceQuota } from "./resource-quota.ts";

/** Nothing is followed until the plug-in is built. */
export function quotaPlugin(parts: PluginParts): { build(): AdmissionPlugin; close(): void } {
  const { names, catalog, clock, background, mirrors, writeDeps } = parts;
  let recount: QuotaRecount | undefined;
  return {
    build() {
      const quotas = mirrors.projected<ResourceQuota>("", "v1", "resourcequotas", {
        project: (object) => object as unknown as ResourceQuota,
        onChange: (_key, now, before) => recount?.quotaChanged(now, before),
      })!;
      const ledger = new QuotaLedger(writeDeps, catalog.own("", "v1", "resourcequotas")!);
      const counting = new QuotaRecount({ names, catalog, clock, background, quotas, ledger });
      recount = counting;
      return resourceQuota({
        names,
        clock,
        quotas,
        ledger,
        recount: (namespace, name) => counting.recount(namespace, name),
      });
    },
    close: () => recount?.close(),
  };
}
