import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hasAppArmor } from "./app-armor.ts";

it.each<[string, string | undefined, boolean, boolean]>([
  ["the kernel has it and it is on", "Y\n", true, true],
  ["it is switched off", "N\n", true, false],
  ["its file system is not there", "Y\n", false, false],
  ["the kernel was built without it", undefined, true, false],
])("profiles of AppArmor count where %s", (_, enabled, hasFileSystem, expected) => {
  const root = mkdtempSync(join(tmpdir(), "plinth-apparmor-"));
  try {
    if (hasFileSystem) mkdirSync(join(root, "sys/kernel/security/apparmor"), { recursive: true });
    mkdirSync(join(root, "sys/module/apparmor/parameters"), { recursive: true });
    if (enabled !== undefined) writeFileSync(join(root, "sys/module/apparmor/parameters/enabled"), enabled);
    expect(hasAppArmor(root)).toBe(expected);
  } finally {
    rmSync(root, { recursive: true });
  }
});
