// Looks into the file of a Localhost profile before a runtime is asked to use it.

import { stat } from "node:fs/promises";
import { readSmallFile } from "../../base/read-small-file.ts";
import { MAX_PROFILE_BYTES, type RuntimeSeccomp, SeccompError, seccompProblem } from "../containers/seccomp-profile.ts";
import { messageOf } from "./start-error.ts";

/** Fails with SeccompError where the file is missing or cannot be used. */
export async function checkSeccompFile({ localhostRef: path }: RuntimeSeccomp): Promise<void> {
  if (path === undefined) return;
  let content: string;
  try {
    const { size } = await stat(path);
    if (size > MAX_PROFILE_BYTES) throw new Error(`the file is larger than ${MAX_PROFILE_BYTES} bytes`);
    content = (await readSmallFile(path)).toString("utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isMissing ? `open ${path}: no such file or directory` : messageOf(error);
    throw new SeccompError(`cannot load seccomp profile "${path}": ${why}`);
  }
  const problem = seccompProblem(content);
  if (problem !== undefined) throw new SeccompError(`cannot use seccomp profile "${path}": ${problem}`);
}
