// The requirements of features against this machine: for `plinth nodeagent check` one line each, and that of the proxy.

import { measureKernel } from "./kernel/measure-kernel.ts";
import { kernelReport, nftables, type RequirementReport } from "./kernel/requirements.ts";

/** What the service proxy asks of this machine, and what was found. */
export async function checkNftables(): Promise<RequirementReport> {
  return nftables(await measureKernel());
}

const SIGNS = { ok: "ok         ", missing: "missing    ", discouraged: "discouraged" } as const;

export async function checkKernel(): Promise<string> {
  const facts = await measureKernel();
  const report = kernelReport(facts);
  return [`kernel ${facts.release}`, ...report.map(line)].join("\n") + "\n";
}

function line({ feature, requirement, verdict, found }: RequirementReport): string {
  return `${SIGNS[verdict]}  ${feature}: needs ${requirement}; found ${found}`;
}
