import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { namesFor } from "../../meta/names.ts";
import type { ContainerStatus } from "../cri/container-messages.ts";
import { terminationMessage } from "./termination-message.ts";

const names = namesFor("kubernetes");
let folder: string;
let hostPath: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-message-"));
  hostPath = join(folder, "message");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const message = (): Promise<string> => {
  const containerPath = "/dev/termination-log";
  const annotations = { [names.runtimeTerminationMessagePath]: containerPath };
  const status = { annotations, mounts: [{ containerPath, hostPath }], exitCode: 1, logPath: "" };
  return terminationMessage(status as unknown as ContainerStatus, names);
};

describe("the last message of a container", () => {
  it("is what it wrote, and not more than can be shown", async () => {
    writeFileSync(hostPath, "x".repeat(5_000));
    expect(await message()).toBe("x".repeat(4_096));
  });

  it.each<[string, () => unknown]>([
    ["a pipe, for which nobody waits", () => execFileSync("mkfifo", [hostPath])],
    ["a directory", () => mkdirSync(hostPath)],
    ["missing", () => undefined],
    [
      "a link, which nobody follows",
      () => {
        writeFileSync(join(folder, "secret"), "secret");
        symlinkSync("secret", hostPath);
      },
    ],
  ])("is empty where the file is %s", async (_, make) => {
    make();
    expect(await message()).toBe("");
  });
});
