// The last message of a container: from the file that it may write, or from the end of its log.

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Names } from "../../meta/names.ts";
import type { ContainerStatus } from "../cri/container-messages.ts";
import { parseLogLine } from "../logs/log-line.ts";
import { tailOffset } from "../logs/log-tail.ts";
import { openLog } from "../logs/open-log.ts";

const MAX_MESSAGE_BYTES = 4_096;
const MAX_LOG_MESSAGE_BYTES = 2_048;
const MAX_LOG_LINES = 80;

/** Empty when there is none. Never fails: a message is worth no more than that. */
export async function terminationMessage(status: ContainerStatus, names: Names): Promise<string> {
  const { annotations, mounts, exitCode, logPath } = status;
  const path = annotations[names.runtimeTerminationMessagePath];
  const file = mounts.find(({ containerPath }) => containerPath === path)?.hostPath;
  const written = path && file ? await firstBytes(file) : "";
  const fallsBack = annotations[names.runtimeTerminationMessagePolicy] === "FallbackToLogsOnError";
  if (written !== "" || !fallsBack || exitCode === 0 || logPath === "") return written;
  return await lastLines(logPath).catch(() => "");
}

/** What is there may be the container's own making: a link leads elsewhere, and whoever opens a pipe waits for ever. */
const ANYTHING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function firstBytes(path: string): Promise<string> {
  const file = await open(path, ANYTHING).catch(() => undefined);
  if (file === undefined) return "";
  try {
    if (!(await file.stat()).isFile()) return "";
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_MESSAGE_BYTES), 0, MAX_MESSAGE_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return "";
  } finally {
    await file.close();
  }
}

async function lastLines(path: string): Promise<string> {
  const file = await openLog(path);
  try {
    const { size } = await file.stat();
    const from = Math.max(await tailOffset(file, size, MAX_LOG_LINES), size - MAX_LOG_LINES * MAX_LOG_MESSAGE_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.toString("latin1", 0, bytesRead).split("\n");
    const texts = lines.flatMap((line) => parseLogLine(Buffer.from(line, "latin1"))?.text ?? []);
    return Buffer.concat(texts).subarray(-MAX_LOG_MESSAGE_BYTES).toString("utf8");
  } finally {
    await file.close();
  }
}
