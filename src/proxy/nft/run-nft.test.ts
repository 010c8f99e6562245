import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runNft } from "./run-nft.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-nft-"));
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it.each([
  ["says what nft says", "echo 'No such file' >&2; exit 1", /^nft ended with 1: No such file$/],
  ["does not wait for one that does not end", "exec sleep 600", /^nft ended with SIGKILL/],
])("%s", async (_, script, message) => {
  writeFileSync(join(folder, "nft"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  await expect(runNft("add table ip t\n", 500)).rejects.toThrow(message);
});
