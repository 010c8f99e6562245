// Volumes of drivers that are programs on the node: mounted for pods, and given back when they have ended.
//
//   <root>/pods/<uid>/volumes/<vendor>~<driver>/<volume>                 as the pod sees it
//   <root>/plugins/<domain>/flexvolume/<vendor>/<driver>/mounts/<volume>  the device, for drivers that attach one

import { mkdir, readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../client/client.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { Turns } from "../turns.ts";
import { isMounted, mountFilesystem, unmountBelow } from "../volumes/mounts.ts";
import type { ReadyVolume } from "../volumes/pod-volumes.ts";
import { takeOwnership } from "../volumes/take-ownership.ts";
import type { FlexDriver } from "./flex-driver.ts";
import { driverName, type FlexDrivers, folderOf } from "./flex-drivers.ts";
import { type FlexVolume, mountOptions, volumeOptions } from "./flex-options.ts";

interface FlexMounterOptions {
  readonly client: Pick<Client, "core">;
  readonly drivers: Pick<FlexDrivers, "driver">;
  readonly nodeName: string;
  /** `<root>/pods` and `<root>/plugins` */
  readonly podsDirectory: string;
  readonly pluginsDirectory: string;
  /** The platform's own. */
  readonly domain: string;
}

export class FlexMounter {
  readonly #options: FlexMounterOptions;
  /** One after the other for each volume of the node. */
  readonly #turns = new Turns();
  /** The paths in pods that this agent knows to be there: pods are looked after again and again. */
  readonly #mounted = new Set<string>();

  constructor(options: FlexMounterOptions) {
    this.#options = options;
  }

  /** Fails with what the driver says. */
  async mount(pod: Pod, volume: FlexVolume): Promise<ReadyVolume> {
    const driver = await this.#options.drivers.driver(volume.driver);
    const path = join(this.#volumesOf(pod.metadata.uid ?? ""), folderOf(driver.name), volume.name);
    await this.#turns.take(`${driver.name} ${volume.name}`, async () => {
      if (this.#mounted.has(path)) return;
      if (!(await isMounted(path))) await this.#setUp(pod, volume, driver, path);
      this.#mounted.add(path);
    });
    const { supportsMetrics } = driver.capabilities;
    return {
      path,
      readOnly: volume.readOnly,
      plugin: `flexvolume-${driver.name}`,
      isRemote: true,
      ...(supportsMetrics ? {} : { isOfHost: true }),
    };
  }

  /** Gives back the volumes of a pod, and the devices that nobody uses any more. Fails where a driver does. */
  async unmountAll(uid: string): Promise<void> {
    const volumes = this.#volumesOf(uid);
    for (const folder of await names(volumes)) {
      // Other volumes of pods are the platform's own.
      if (folder.startsWith(`${this.#options.domain}~`)) continue;
      for (const name of await names(join(volumes, folder)))
        await this.#giveBack(folder, name, join(volumes, folder, name));
    }
  }

  async #giveBack(folder: string, name: string, path: string): Promise<void> {
    const opening = this.#options.drivers.driver(driverName(folder));
    const driver = await opening.catch(async (error: unknown) => {
      // Of a driver that is gone, only what is still mounted keeps a pod.
      if (await isMounted(path)) throw error;
      return undefined;
    });
    if (driver === undefined) return;
    await this.#turns.take(`${driver.name} ${name}`, () => this.#tearDown(driver, name, path));
  }

  async #setUp(pod: Pod, volume: FlexVolume, driver: FlexDriver, path: string): Promise<void> {
    const { domain } = this.#options;
    if (driver.capabilities.attach) await this.#attach(volume, driver);
    const secrets = await this.#secrets(volume);
    const told = JSON.stringify(mountOptions(volume, pod, { domain, secrets }));
    await mkdir(path, { recursive: true, mode: 0o750 });
    try {
      const answer = await driver.call("mount", path, told);
      if (answer === undefined) await this.#bind(driver, volume, path);
      const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
      if (fsGroup !== undefined && !volume.readOnly && driver.capabilities.fsGroup)
        await takeOwnership(path, Number(fsGroup), fsGroupChangePolicy);
    } catch (error) {
      // Never with what is in it: that could be the volume.
      await rmdir(path).catch(() => undefined);
      throw error;
    }
  }

  /** Nobody else does: no controller runs these programs. Drivers find out themselves what is attached already. */
  async #attach(volume: FlexVolume, driver: FlexDriver): Promise<void> {
    const { nodeName, domain } = this.#options;
    const told = JSON.stringify(volumeOptions(volume, domain));
    await driver.call("getvolumename", told);
    const directory = this.#deviceDirectory(driver, volume.name);
    if (await isMounted(directory)) return;
    const attached = (await driver.call("attach", told, nodeName))?.device ?? "";
    const device = (await driver.call("waitforattach", attached, told))?.device ?? attached;
    await mkdir(directory, { recursive: true, mode: 0o750 });
    const answer = await driver.call("mountdevice", directory, device, told);
    if (answer !== undefined || device === "") return;
    const options = [volume.readOnly ? "ro" : "rw"];
    await mountFilesystem({ type: volume.fsType || "auto", source: device, directory, options });
  }

  /** What a driver that only mounts devices leaves to the agent. */
  async #bind(driver: FlexDriver, { name, readOnly }: FlexVolume, path: string): Promise<void> {
    if (!driver.capabilities.attach)
      throw new Error(`driver ${driver.name} neither mounts volumes nor attaches devices`);
    const options = ["bind", ...(readOnly ? ["ro"] : [])];
    await mountFilesystem({ type: "none", source: this.#deviceDirectory(driver, name), directory: path, options });
  }

  /** The pod's folder stays until the device is off the node too: what fails is tried again as long as it is there. */
  async #tearDown(driver: FlexDriver, name: string, path: string): Promise<void> {
    this.#mounted.delete(path);
    const isDone = driver.capabilities.attach && !(await isMounted(path)) && (await names(path)).length === 0;
    if (!isDone) {
      if ((await driver.call("unmount", path)) === undefined) await unmountBelow(path);
      await mkdir(path, { recursive: true, mode: 0o750 });
    }
    if (driver.capabilities.attach && !(await this.#isUsed(driver, name, path))) await this.#detach(driver, name);
    await removeEmpty(path);
  }

  async #detach(driver: FlexDriver, name: string): Promise<void> {
    const directory = this.#deviceDirectory(driver, name);
    if ((await isMounted(directory)) && (await driver.call("unmountdevice", directory)) === undefined)
      await unmountBelow(directory);
    await removeEmpty(directory);
    await driver.call("detach", name, this.#options.nodeName);
  }

  /** Whether any pod of the node has the volume but that with this path, also one that an earlier agent has left. */
  async #isUsed(driver: FlexDriver, name: string, except: string): Promise<boolean> {
    for (const uid of await names(this.#options.podsDirectory)) {
      const folder = join(this.#volumesOf(uid), folderOf(driver.name));
      if (join(folder, name) !== except && (await names(folder)).includes(name)) return true;
    }
    return false;
  }

  async #secrets({ secret }: FlexVolume): Promise<Readonly<Record<string, string>>> {
    if (secret === undefined) return {};
    try {
      return (await this.#options.client.core.v1.secrets(secret.namespace).get(secret.name)).data ?? {};
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`couldn't get secret ${secret.namespace}/${secret.name} err: ${why}`);
    }
  }

  #volumesOf(uid: string): string {
    return join(this.#options.podsDirectory, uid, "volumes");
  }

  #deviceDirectory({ name: driver }: FlexDriver, name: string): string {
    return join(this.#options.pluginsDirectory, this.#options.domain, "flexvolume", driver, "mounts", name);
  }
}

async function names(directory: string): Promise<string[]> {
  return await readdir(directory).catch(() => []);
}

/** Drivers may have removed it. One that is not empty is still somebody's. */
async function removeEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
