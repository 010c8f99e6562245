// The files of variables that containers have written into volumes of their pod. Their writers choose what is at a path: no link
// leads out of the volume, nothing is waited for, and nothing is read that is large.

import { stat } from "node:fs/promises";
import { readSmallFile, UnfitFile } from "../../base/read-small-file.ts";
import { type TextOfFile, unreadableFile, type VolumeFile } from "../containers/environment.ts";
import { FactError } from "../containers/pod-facts.ts";
import type { ReadyVolume } from "./pod-volumes.ts";
import { SubPathError, withSubPath } from "./sub-path.ts";

/** As much as a ConfigMap holds. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Reads each once. What went wrong with one is told to who asks for it. */
export async function readVariableFiles(
  files: readonly VolumeFile[],
  volumes: ReadonlyMap<string, Pick<ReadyVolume, "path">>,
): Promise<TextOfFile> {
  const read = new Map<string, string | FactError>();
  for (const file of files) {
    const key = keyOf(file);
    if (!read.has(key)) read.set(key, await textOrProblem(file, volumes.get(file.volumeName)?.path));
  }
  return (file) => {
    const text = read.get(keyOf(file)) ?? "";
    if (text instanceof FactError) throw text;
    return text;
  };
}

const keyOf = ({ volumeName, path }: VolumeFile): string => `${volumeName}/${path}`;

async function textOrProblem(file: VolumeFile, volume: string | undefined): Promise<string | FactError> {
  if (volume === undefined)
    return new FactError(`cannot find the volume ${JSON.stringify(file.volumeName)} referenced by FileKeyRef`);
  try {
    return await readText(volume, file.path);
  } catch (error) {
    if (error instanceof SubPathError) return unreadableFile(file, "it does not stay in its volume");
    if (error instanceof UnfitFile) return unreadableFile(file, `it has more than ${MAX_FILE_BYTES} bytes`);
    const { code = "", message } = error as NodeJS.ErrnoException;
    return unreadableFile(file, code === "ENOENT" ? "there is none" : code || message);
  }
}

async function readText(volume: string, path: string): Promise<string> {
  const read = async (_path: string, descriptor: number): Promise<string> => {
    const opened = `/proc/self/fd/${descriptor}`;
    // A pipe would be waited for.
    if (!(await stat(opened)).isFile()) throw new Error("it is not a plain file");
    return String(await readSmallFile(opened, MAX_FILE_BYTES));
  };
  // As seen from the volume.
  return await withSubPath(volume, path.replace(/^\/+/, ""), read, { makes: false });
}
