import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { usableCores } from "./usable-cores.ts";

let groups: string;
beforeEach(() => {
  groups = mkdtempSync(join(tmpdir(), "plinth-groups-"));
});
afterEach(() => rmSync(groups, { recursive: true, force: true }));

it.each<[number, Readonly<Record<string, string>>]>([
  [16, {}],
  [16, { "cpu.max": "max 100000\n" }],
  [2, { "cpu.max": "200000 100000\n" }],
  [2, { "cpu.max": "150000 100000\n" }],
  [1, { "cpu.max": "5000 100000\n" }],
  [16, { "cpu.max": "6400000 100000\n" }],
  [16, { "cpu.max": "" }],
  [3, { "cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n" }],
  [16, { "cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n" }],
])("are %s of 16 where the control group says %s", (cores, files) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(groups, name)), { recursive: true });
    writeFileSync(join(groups, name), content);
  }
  expect(usableCores(16, groups)).toBe(cores);
});
