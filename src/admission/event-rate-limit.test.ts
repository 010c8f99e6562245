// Limits on events: tokens by key, refilled with time; and the file they come from.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { namesFor } from "../meta/names.ts";
import type { AdmissionRequest } from "../registry/admission.ts";
import { readAdmissionConfiguration, readEventLimits } from "./admission-configuration.ts";
import { eventRateLimit } from "./event-rate-limit.ts";

const event = (namespace: string, user = "u"): AdmissionRequest => ({
  operation: "CREATE",
  kind: { group: "", version: "v1", kind: "Event" },
  resource: { group: "", version: "v1", resource: "events" },
  subresource: "",
  namespace,
  name: "e",
  object: { metadata: { name: "e" } },
  oldObject: undefined,
  options: {},
  dryRun: false,
  user: { name: user, groups: [] },
  warnings: [],
  auditAnnotations: new Map(),
});

describe("the rate of events", () => {
  it("is limited by key, and tokens come back with time", () => {
    let nowMs = 0;
    const clock = { nowMs: () => nowMs } as Parameters<typeof eventRateLimit>[1];
    const limit = { type: "Namespace" as const, qps: 1, burst: 2, cacheSize: 10 };
    const plugin = eventRateLimit(namesFor("kubernetes"), clock, [limit]);
    const admit = (namespace: string) => plugin.validate?.(event(namespace));
    admit("a");
    admit("a");
    expect(() => admit("a")).toThrow("limit reached on type Namespace for key a");
    admit("b");
    nowMs = 1000;
    admit("a");
    expect(() => admit("a")).toThrow();
  });

  it("comes from a file, whose mistakes are named", () => {
    const folder = mkdtempSync(join(tmpdir(), "plinth-admission-"));
    const file = join(folder, "admission.yaml");
    writeFileSync(file, "plugins:\n- name: EventRateLimit\n  path: limits.yaml\n");
    writeFileSync(join(folder, "limits.yaml"), "limits:\n- type: Server\n  qps: 10\n  burst: 20\n");
    const settings = readAdmissionConfiguration(file).get("EventRateLimit");
    expect(readEventLimits(settings)).toEqual([{ type: "Server", qps: 10, burst: 20, cacheSize: 4096 }]);
    expect(() => readEventLimits({ limits: [{ type: "Nobody" }] })).toThrow(/limits\[0\]\.type: must be one of/);
    expect(() => readEventLimits(undefined)).toThrow(/needs limits/);
    expect(() => readAdmissionConfiguration(join(folder, "none"))).toThrow(/--admission-control-config-file/);
  });

  it("is no file with settings that nobody would heed", () => {
    const file = join(mkdtempSync(join(tmpdir(), "plinth-admission-")), "admission.yaml");
    writeFileSync(file, "plugins:\n- name: ResourceQuota\n  configuration: {limitedResources: [{resource: pods}]}\n");
    expect(() => readAdmissionConfiguration(file)).toThrow(/plugins\[0\]: .* no settings of ResourceQuota/);
  });
});
