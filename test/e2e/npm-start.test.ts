// `npm start` as its script says it, on a machine of many cores: several processes serve.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ROOT } from "../house/sources.testing.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plinth-start-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("serves with workers, and ends when asked to", { timeout: 120_000 }, async () => {
  const flags = ["--workers=2", "--secure-port=0", `--data-dir=${dir}`];
  const child = spawn(process.execPath, [join(ROOT, "scripts/start.mjs"), ...flags], { stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += String(text)));
  const ended = once(child, "close");
  await expect.poll(() => said, { timeout: 90_000 }).toContain("Plinth is ready");
  const env = { ...process.env, KUBECONFIG: join(dir, "kubeconfig") };
  const names = execFileSync(process.execPath, [join(ROOT, "bin/pctl"), "get", "namespaces", "-o", "name"], { env });
  expect(names.toString("utf8")).toContain("namespace/default\n");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
