// `plinth nodeagent check`: the requirements of features against this machine, one line each.

import { measureKernel } from "./kernel/measure-kernel.ts";
import { kernelReport, type RequirementReport } from "./kernel/requirements.ts";

const SIGNS = { ok: "ok         ", missing: "missing    ", discouraged: "discouraged" } as const;

export async function checkKernel(): Promise<string> {
  const facts = await measureKernel();
  const report = kernelReport(facts);
  return [`kernel ${facts.release}`, ...report.map(line)].join("\n") + "\n";
}

function line({ feature, requirement, verdict, found }: RequirementReport): string {
  return `${SIGNS[verdict]}  ${feature}: needs ${requirement}; found ${found}`;
}
