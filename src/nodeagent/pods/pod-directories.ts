// The directories of pods below the root directory: one for each, by uid.
//
//   <root>/pods/<uid>/volumes/...            see volumes/pod-volumes.ts
//   <root>/pods/<uid>/volume-subpaths/<volume>/<container>/<index>   parts of volumes, as containers see them
//   <root>/pods/<uid>/containers/<name>/...  the files for last messages
//   <root>/pods/<uid>/etc-hosts              the hosts file
//   <root>/pods/<uid>/userns                 the range of users, where the pod has its own

import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unmountBelow } from "../volumes/mounts.ts";

export class PodDirectories {
  readonly #pods: string;
  readonly #giveBack: (uid: string) => Promise<void>;

  /** `giveBack` has the volumes of a pod unmounted that others have mounted. */
  constructor(pods: string, giveBack: (uid: string) => Promise<void>) {
    this.#pods = pods;
    this.#giveBack = giveBack;
  }

  of(uid: string): string {
    // Every uid of the API is one part of a path; one from elsewhere must be too.
    if (!/^[\w.-]+$/.test(uid) || uid === "." || uid === "..")
      throw new Error(`${JSON.stringify(uid)} is no uid of a pod`);
    return join(this.#pods, uid);
  }

  subPathsOf(uid: string): string {
    return join(this.of(uid), "volume-subpaths");
  }

  async make(uid: string): Promise<void> {
    const directory = this.of(uid);
    // One by one: of several at once a full disk is told as a directory that is not there.
    for (const each of [directory, ...["volumes", "plugins", "containers"].map((part) => join(directory, part))])
      await mkdir(each, { mode: 0o750 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
  }

  /** A fresh file into which a container may write its last message. */
  async makeMessageFile(uid: string, container: string): Promise<string> {
    const folder = join(this.of(uid), "containers", container);
    await mkdir(folder, { recursive: true, mode: 0o750 });
    const file = join(folder, randomBytes(4).toString("hex"));
    await writeFile(file, "");
    // Whatever user the container runs as.
    await chmod(file, 0o666);
    return file;
  }

  async writeHosts(uid: string, content: string): Promise<string> {
    const file = join(this.of(uid), "etc-hosts");
    await writeFile(file, content, { mode: 0o644 });
    return file;
  }

  /** With everything that is mounted in it. */
  async remove(uid: string): Promise<void> {
    const directory = this.of(uid);
    await unmountBelow(this.subPathsOf(uid));
    await this.#giveBack(uid);
    await unmountBelow(directory);
    await rm(directory, { recursive: true, force: true });
  }

  /** Volumes alone: of a pod whose containers have ended and whose record stays. */
  async removeVolumes(uid: string): Promise<void> {
    const parts = this.subPathsOf(uid);
    await unmountBelow(parts);
    await this.#giveBack(uid);
    const directory = join(this.of(uid), "volumes");
    await unmountBelow(directory);
    for (const each of [parts, directory, join(this.of(uid), "volumeDevices")])
      await rm(each, { recursive: true, force: true });
  }

  /** The uids of all pods that have a directory. */
  async list(): Promise<string[]> {
    const entries = await readdir(this.#pods, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }
}
