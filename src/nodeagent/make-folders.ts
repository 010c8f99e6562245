// The folders of the agent below its root, with the modes of the table.
// Requirements: document 3, "Node-agent local files and sockets".

import { mkdir } from "node:fs/promises";
import { StartError } from "../base/start-error.ts";
import type { AgentPaths } from "./paths.ts";
import { CHECKPOINT_FOLDER_MODE } from "./server/checkpoint.ts";

const PRIVATE = 0o700;
const PUBLIC = 0o750;

/** Fails with StartError where one cannot be made. */
export async function makeFolders(paths: AgentPaths): Promise<void> {
  const folders: readonly (readonly [string, number])[] = [
    [paths.rootDir, 0o755],
    [paths.pods, PUBLIC],
    [paths.seccomp, PUBLIC],
    [paths.plugins, PUBLIC],
    [paths.pluginsRegistry, PUBLIC],
    [paths.podResources, PUBLIC],
    [paths.devicePlugins, PUBLIC],
    [paths.checkpoints, CHECKPOINT_FOLDER_MODE],
    [paths.certDir, PRIVATE],
  ];
  for (const [folder, mode] of folders) {
    await mkdir(folder, { recursive: true, mode }).catch((error: Error) => {
      throw new StartError(`--root-dir: cannot make ${folder}: ${error.message}`);
    });
  }
}
