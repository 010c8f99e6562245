// Where the volumes of storage drivers stand, and the file beside each that says whose they are.
//
//   <root>/pods/<uid>/volumes/<domain>~csi/<name>/{mount,vol_data.json}
//   <root>/pods/<uid>/volumeDevices/<domain>~csi/<name>/{device,vol_data.json}
//   <root>/plugins/<domain>/csi/<driver>/<hash of the handle>/{globalmount,vol_data.json}

import { createHash } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../../base/json.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { CsiVolume } from "./csi-requests.ts";

interface CsiFoldersOptions {
  /** `<root>/pods` and `<root>/plugins` */
  readonly podsDirectory: string;
  readonly pluginsDirectory: string;
  /** The platform's own, which the names of directories begin with. */
  readonly domain: string;
}

const DATA_FILE = "vol_data.json";

export class CsiFolders {
  readonly #options: CsiFoldersOptions;

  constructor(options: CsiFoldersOptions) {
    this.#options = options;
  }

  /** Whether any pod of the node has the volume but that with this directory, also one that an earlier agent has left. */
  async isUsed(volume: VolumeData, except: string): Promise<boolean> {
    for await (const { directory, data } of this.volumes())
      if (directory !== except && data.driver === volume.driver && data.handle === volume.handle) return true;
    return false;
  }

  /** Those of all pods of the node, each with its directory. */
  async *volumes(): AsyncGenerator<{ readonly directory: string; readonly data: VolumeData }, void> {
    for (const uid of await readdir(this.#options.podsDirectory).catch(() => []))
      for (const { directory } of await this.volumesOf(uid)) {
        const data = await readVolumeData(directory);
        if (data !== undefined) yield { directory, data };
      }
  }

  targetOf({ metadata }: Pod, volume: CsiVolume): string {
    const { folder, name } = this.#folders(metadata.uid ?? "")[volume.isBlock ? 1 : 0]!;
    return join(folder, volume.name, name);
  }

  async volumesOf(uid: string): Promise<{ readonly directory: string; readonly target: string }[]> {
    const found = this.#folders(uid).map(async ({ folder, name }) =>
      (await readdir(folder).catch(() => [])).map((volume) => {
        const directory = join(folder, volume);
        return { directory, target: join(directory, name) };
      }),
    );
    return (await Promise.all(found)).flat();
  }

  stagingPath(volume: Pick<CsiVolume, "driver" | "handle">): string {
    return join(this.stagingDirectory(volume), "globalmount");
  }

  stagingDirectory({ driver, handle }: Pick<CsiVolume, "driver" | "handle">): string {
    const hash = createHash("sha256").update(handle).digest("hex");
    return join(this.#options.pluginsDirectory, this.#options.domain, "csi", driver, hash);
  }

  /** Where each sort of volume stands in the directory of a pod, and what its path is called. */
  #folders(uid: string): { readonly folder: string; readonly name: string }[] {
    const { podsDirectory, domain } = this.#options;
    return [
      { folder: join(podsDirectory, uid, "volumes", `${domain}~csi`), name: "mount" },
      { folder: join(podsDirectory, uid, "volumeDevices", `${domain}~csi`), name: "device" },
    ];
  }
}

export interface VolumeData {
  readonly driver: string;
  readonly handle: string;
}

/** Undefined where there is none, or it was cut short. */
export async function readVolumeData(directory: string): Promise<VolumeData | undefined> {
  const text = await readSmallFile(join(directory, DATA_FILE)).then(String, () => undefined);
  if (text === undefined) return undefined;
  try {
    const data: unknown = JSON.parse(text);
    const { driverName, volumeHandle } = isObject(data) ? data : {};
    if (typeof driverName !== "string" || typeof volumeHandle !== "string") return undefined;
    return { driver: driverName, handle: volumeHandle };
  } catch {
    // Cut short before anything was mounted: the file is written first.
    return undefined;
  }
}

export async function writeVolumeData(directory: string, { driver, handle }: VolumeData): Promise<void> {
  await writeFile(join(directory, DATA_FILE), JSON.stringify({ driverName: driver, volumeHandle: handle }));
}

export async function removeVolumeData(directory: string): Promise<void> {
  await rm(join(directory, DATA_FILE), { force: true });
}
