// Volumes that show a file or directory of the node: what must be there, and what is made where nothing is.

import type { Stats } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import type { VolumeSource } from "../../kinds/core/volumes/volume.ts";

type HostPath = NonNullable<VolumeSource["hostPath"]>;

/** Fails with a message for the owner of the pod where something else is there. */
export async function ensureHostPath({ path, type }: HostPath): Promise<string> {
  if (path.split("/").includes("..")) throw new Error(`hostPath ${path} contains ".."`);
  if (!type) return path;
  let found = await stat(path).catch(() => undefined);
  if (found === undefined && type === "DirectoryOrCreate") await mkdir(path, { recursive: true, mode: 0o755 });
  if (found === undefined && type === "FileOrCreate") await (await open(path, "a", 0o644)).close();
  found = await stat(path).catch(() => undefined);
  const expected = EXPECTED[type];
  if (found === undefined || !expected.is(found))
    throw new Error(`hostPath type check failed: ${path} is not ${expected.text}`);
  return path;
}

type Expected = { readonly text: string; readonly is: (stats: Stats) => boolean };

const directory: Expected = { text: "a directory", is: (stats) => stats.isDirectory() };
const file: Expected = { text: "a file", is: (stats) => stats.isFile() };
const EXPECTED: Readonly<Record<Exclude<HostPath["type"], undefined | "">, Expected>> = {
  Directory: directory,
  DirectoryOrCreate: directory,
  File: file,
  FileOrCreate: file,
  Socket: { text: "a socket file", is: (stats) => stats.isSocket() },
  CharDevice: { text: "a character device", is: (stats) => stats.isCharacterDevice() },
  BlockDevice: { text: "a block device", is: (stats) => stats.isBlockDevice() },
};
