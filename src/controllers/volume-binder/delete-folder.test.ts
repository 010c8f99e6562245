import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { deleteFolder } from "./delete-folder.ts";

const below = mkdtempSync("/tmp/plinth-volume-");
afterAll(() => rmSync(below, { recursive: true, force: true }));

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

it("a folder below /tmp goes with all that is in it; what is gone already is no failure", async () => {
  const folder = join(below, "data");
  mkdirSync(join(folder, "sub"), { recursive: true });
  writeFileSync(join(folder, "sub/file"), "text");
  await deleteFolder(folder);
  await deleteFolder(folder);
  await deleteFolder(join(below, "absent/folder"));
  expect([await isThere(folder), await isThere(below)]).toEqual([false, true]);
});

it.each([
  ["a path that leads out of it", () => "/tmp/../etc/plinth-none"],
  ["a link that leads out of it", () => `${below}/out/plinth-none`],
])("%s is not followed", async (_what, path) => {
  rmSync(join(below, "out"), { force: true });
  symlinkSync("/etc", join(below, "out"));
  await expect(deleteFolder(path())).rejects.toThrow("host_path deleter only supports /tmp/.+");
});
