// What the flags make of the audit log.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { namesFor } from "../meta/names.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { buildAudit } from "./build-audit.ts";

const folder = mkdtempSync(join(tmpdir(), "audit-"));
afterEach(() => void vi.restoreAllMocks());
afterAll(() => rmSync(folder, { recursive: true }));

describe("the audit log on standard output", () => {
  it("has short events where that is asked for", async () => {
    const policy = join(folder, "policy.yaml");
    writeFileSync(policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Request}]");
    const flags = [
      "--dialect=kubernetes",
      `--audit-policy-file=${policy}`,
      "--audit-log-path=-",
      "--audit-log-truncate-enabled",
      "--audit-log-truncate-max-event-size=200",
    ];
    const parts = { names: namesFor("kubernetes"), log: silentLog, clock: systemClock };
    const audit = buildAudit(parseApiServerOptions(flags), parts)!;
    const written: string[] = [];
    vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
    const event = { level: "Request", requestObject: { text: "x".repeat(1_000) } };
    await audit.record({ event, text: JSON.stringify(event) });
    expect(written).toEqual([`{"level":"Request","annotations":{"audit.k8s.io/truncated":"true"}}\n`]);
    await audit.close();
  });
});
