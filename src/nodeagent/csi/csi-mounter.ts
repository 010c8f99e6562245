// Volumes of storage drivers on this node: staged once for the node, published for each pod, and given back in the
// opposite order. What is there stands in files beside the mounts, so that an agent that starts again can give it back.
//
//   <root>/pods/<uid>/volumes/<domain>~csi/<name>/{mount,vol_data.json}
//   <root>/pods/<uid>/volumeDevices/<domain>~csi/<name>/{device,vol_data.json}
//   <root>/plugins/<domain>/csi/<driver>/<hash of the handle>/{globalmount,vol_data.json}

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject } from "../../base/json.ts";
import type { Client } from "../../client/client.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { CSIDriver } from "../../kinds/storage/csi-driver.ts";
import type { VolumeCapacity } from "../volumes/pod-volumes.ts";
import { takeOwnership } from "../volumes/take-ownership.ts";
import type { CsiDriver } from "./csi-driver.ts";
import type { CsiDrivers } from "./csi-drivers.ts";
import type { StageRequest } from "./csi-messages.ts";
import {
  attachmentName,
  type CsiVolume,
  type SecretName,
  uniqueVolumeName,
  volumeCapability,
  volumeContext,
} from "./csi-requests.ts";

interface CsiMounterOptions {
  readonly client: Client;
  readonly drivers: Pick<CsiDrivers, "driver">;
  readonly nodeName: string;
  readonly node: () => Node | undefined;
  /** What the node uses has changed: its status is to tell. */
  readonly onUse: () => void;
  /** `<root>/pods` and `<root>/plugins` */
  readonly podsDirectory: string;
  readonly pluginsDirectory: string;
  /** The platform's own, which the names of directories begin with. */
  readonly domain: string;
  readonly token: (
    pod: Pod,
    wanted: { readonly audience: string; readonly expirationSeconds: number | undefined },
  ) => Promise<{ readonly token: string; readonly expirationTimestamp: string }>;
}

const DATA_FILE = "vol_data.json";

export class CsiMounter {
  readonly #options: CsiMounterOptions;
  /** By the directory of a pod's volume: whether it is to be published again and again. */
  readonly #published = new Map<string, { readonly isRepeated: boolean }>();
  /** What the node uses, by the name that it is known under. */
  readonly #inUse = new Set<string>();
  /** One after the other for each volume of the node. */
  readonly #staging = new Map<string, Promise<void>>();

  constructor(options: CsiMounterOptions) {
    this.#options = options;
  }

  volumesInUse(): readonly string[] {
    return [...this.#inUse];
  }

  /** Gives the path of the volume on the host. Fails with what the driver or the API says. */
  async mount(pod: Pod, volume: CsiVolume): Promise<string> {
    const target = this.#targetOf(pod, volume);
    const directory = dirname(target);
    if (this.#published.get(directory)?.isRepeated === false) return target;
    const { client, drivers } = this.#options;
    const driver = drivers.driver(volume.driver);
    const object = await client.storage.v1.csiDrivers().find(volume.driver);
    checkLifecycle(volume, object);
    const publishContext = await this.#attached(volume, object);
    await mkdir(directory, { recursive: true, mode: 0o750 });
    await writeFile(
      join(directory, DATA_FILE),
      JSON.stringify({ driverName: volume.driver, volumeHandle: volume.handle }),
    );
    const group = pod.spec.securityContext?.fsGroup;
    const takesGroup = group !== undefined && (await driver.can("VOLUME_MOUNT_GROUP"));
    const countsWriters = await driver.can("SINGLE_NODE_MULTI_WRITER");
    const capability = volumeCapability(volume, { countsWriters, group: takesGroup ? String(group) : undefined });
    const context = { volumeId: volume.handle, publishContext, volumeCapability: capability };
    const staged = volume.isInline ? undefined : await this.#stage(driver, volume, context);
    await driver.publish({
      ...context,
      ...(staged === undefined ? {} : { stagingTargetPath: staged }),
      targetPath: target,
      readonly: volume.readOnly,
      secrets: await this.#secrets(volume.publishSecret),
      volumeContext: volumeContext(volume, pod, {
        names: client.names,
        wantsPod: object?.spec.podInfoOnMount ?? false,
        tokens: await this.#tokens(pod, object),
      }),
    });
    if (group !== undefined && !takesGroup && !volume.isBlock && givesToGroup(volume, object))
      await takeOwnership(target, Number(group), pod.spec.securityContext?.fsGroupChangePolicy);
    this.#published.set(directory, { isRepeated: object?.spec.requiresRepublish ?? false });
    return target;
  }

  /** Has the file system grow to what the volume has. Says whether the driver does so; fails where it fails. */
  async expand(pod: Pod, volume: CsiVolume, capacityBytes: number): Promise<boolean> {
    const driver = this.#options.drivers.driver(volume.driver);
    if (!(await driver.can("EXPAND_VOLUME"))) return false;
    const countsWriters = await driver.can("SINGLE_NODE_MULTI_WRITER");
    await driver.expand({
      volumeId: volume.handle,
      volumePath: this.#targetOf(pod, volume),
      capacityRange: { requiredBytes: capacityBytes },
      ...((await driver.can("STAGE_UNSTAGE_VOLUME")) ? { stagingTargetPath: this.#stagingPath(volume) } : {}),
      volumeCapability: volumeCapability(volume, { countsWriters, group: undefined }),
      secrets: await this.#secrets(volume.expandSecret),
    });
    return true;
  }

  /** How full the volume is, where its driver says so. */
  async measure(pod: Pod, volume: CsiVolume): Promise<VolumeCapacity | undefined> {
    const driver = this.#options.drivers.driver(volume.driver);
    if (!(await driver.can("GET_VOLUME_STATS"))) return undefined;
    const { usage } = await driver.stats(volume.handle, this.#targetOf(pod, volume), this.#stagingPath(volume));
    const [bytes, inodes] = ["BYTES", "INODES"].map((unit) => usage.find((each) => each.unit === unit));
    return { ...(bytes === undefined ? {} : { bytes }), ...(inodes === undefined ? {} : { inodes }) };
  }

  /** Gives back the volumes of a pod, and those of the node that nobody uses any more. Fails where a driver does. */
  async unmountAll(uid: string): Promise<void> {
    for (const { directory, target } of await this.#volumesOf(uid)) {
      const data = await readData(directory);
      if (data !== undefined) {
        await this.#options.drivers.driver(data.driver).unpublish(data.handle, target);
        await rm(join(directory, DATA_FILE), { force: true });
        await this.#unstage(data);
      }
      this.#published.delete(directory);
    }
  }

  async #stage(
    driver: CsiDriver,
    volume: CsiVolume,
    context: Pick<StageRequest, "volumeId" | "publishContext" | "volumeCapability">,
  ): Promise<string | undefined> {
    if (!(await driver.can("STAGE_UNSTAGE_VOLUME"))) return undefined;
    const directory = this.#stagingDirectory(volume);
    const stagingTargetPath = this.#stagingPath(volume);
    await this.#inTurn(directory, async () => {
      await mkdir(stagingTargetPath, { recursive: true, mode: 0o750 });
      const data = { driverName: volume.driver, volumeHandle: volume.handle };
      await writeFile(join(directory, DATA_FILE), JSON.stringify(data));
      const secrets = await this.#secrets(volume.stageSecret);
      await driver.stage({ ...context, stagingTargetPath, secrets, volumeContext: { ...volume.attributes } });
    });
    return stagingTargetPath;
  }

  async #unstage({ driver, handle }: VolumeData): Promise<void> {
    const directory = this.#stagingDirectory({ driver, handle });
    await this.#inTurn(directory, async () => {
      if (await this.#isUsed({ driver, handle })) return;
      if ((await readData(directory)) !== undefined) {
        await this.#options.drivers.driver(driver).unstage(handle, this.#stagingPath({ driver, handle }));
        await rm(directory, { recursive: true, force: true });
      }
      const { names } = this.#options.client;
      if (this.#inUse.delete(`${names.csiVolumePrefix}${driver}^${handle}`)) this.#options.onUse();
    });
  }

  /** By any pod of the node, also one that an earlier agent has left. */
  async #isUsed(volume: VolumeData): Promise<boolean> {
    for (const uid of await readdir(this.#options.podsDirectory).catch(() => [])) {
      for (const { directory } of await this.#volumesOf(uid)) {
        const data = await readData(directory);
        if (data?.driver === volume.driver && data.handle === volume.handle) return true;
      }
    }
    return false;
  }

  /** What the attaching end left for the driver. Fails until the volume is attached. */
  async #attached(volume: CsiVolume, object: CSIDriver | undefined): Promise<Record<string, string>> {
    if (volume.isInline || object?.spec.attachRequired === false) return {};
    const { client, nodeName, node, onUse } = this.#options;
    const name = uniqueVolumeName(volume, client.names);
    if (!this.#inUse.has(name)) {
      // Told before it is used, so that nobody detaches it meanwhile.
      this.#inUse.add(name);
      onUse();
    }
    const isAttached = (node()?.status.volumesAttached ?? []).some((each) => each.name === name);
    if (!isAttached) {
      onUse();
      throw new Error(`volume "${name}" is not yet attached according to node status`);
    }
    const attachment = await client.storage.v1.volumeAttachments().find(attachmentName(volume, nodeName));
    if (attachment?.status?.attached !== true) throw new Error(`volume "${name}" is not attached yet`);
    return { ...attachment.status.attachmentMetadata };
  }

  async #tokens(pod: Pod, object: CSIDriver | undefined): Promise<Record<string, string> | undefined> {
    const requests = object?.spec.tokenRequests ?? [];
    if (requests.length === 0) return undefined;
    const tokens: Record<string, never> = Object.create(null);
    for (const { audience, expirationSeconds } of requests) {
      const seconds = expirationSeconds === undefined ? undefined : Number(expirationSeconds);
      Object.assign(tokens, { [audience]: await this.#options.token(pod, { audience, expirationSeconds: seconds }) });
    }
    return tokens;
  }

  async #secrets(secret: SecretName | undefined): Promise<Record<string, string>> {
    if (secret === undefined) return {};
    const found = await this.#options.client.core.v1.secrets(secret.namespace).get(secret.name);
    return Object.fromEntries(
      Object.entries(found.data ?? {}).map(([key, base64]) => [key, Buffer.from(base64, "base64").toString("utf8")]),
    );
  }

  async #inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#staging.get(key) ?? Promise.resolve();
    const own = before.then(work, work);
    const settled = own.catch(() => undefined);
    this.#staging.set(key, settled);
    try {
      await own;
    } finally {
      if (this.#staging.get(key) === settled) this.#staging.delete(key);
    }
  }

  /** Where each sort of volume stands in the directory of a pod, and what its path is called. */
  #folders(uid: string): { readonly folder: string; readonly name: string }[] {
    const { podsDirectory, domain } = this.#options;
    return [
      { folder: join(podsDirectory, uid, "volumes", `${domain}~csi`), name: "mount" },
      { folder: join(podsDirectory, uid, "volumeDevices", `${domain}~csi`), name: "device" },
    ];
  }

  #targetOf({ metadata }: Pod, volume: CsiVolume): string {
    const { folder, name } = this.#folders(metadata.uid ?? "")[volume.isBlock ? 1 : 0]!;
    return join(folder, volume.name, name);
  }

  async #volumesOf(uid: string): Promise<{ readonly directory: string; readonly target: string }[]> {
    const found = this.#folders(uid).map(async ({ folder, name }) =>
      (await readdir(folder).catch(() => [])).map((volume) => {
        const directory = join(folder, volume);
        return { directory, target: join(directory, name) };
      }),
    );
    return (await Promise.all(found)).flat();
  }

  #stagingPath(volume: Pick<CsiVolume, "driver" | "handle">): string {
    return join(this.#stagingDirectory(volume), "globalmount");
  }

  #stagingDirectory({ driver, handle }: Pick<CsiVolume, "driver" | "handle">): string {
    const hash = createHash("sha256").update(handle).digest("hex");
    return join(this.#options.pluginsDirectory, this.#options.domain, "csi", driver, hash);
  }
}

interface VolumeData {
  readonly driver: string;
  readonly handle: string;
}

async function readData(directory: string): Promise<VolumeData | undefined> {
  const text = await readFile(join(directory, DATA_FILE), "utf8").catch(() => undefined);
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

function checkLifecycle({ isInline, driver }: CsiVolume, object: CSIDriver | undefined): void {
  const modes = object?.spec.volumeLifecycleModes ?? ["Persistent"];
  const mode = isInline ? "Ephemeral" : "Persistent";
  if (!modes.includes(mode))
    throw new Error(`volume mode "${mode}" not supported by driver ${driver} (only supports ${JSON.stringify(modes)})`);
}

/** Whether files of the volume are given to the pod's group here. */
function givesToGroup({ readOnly, fsType, accessModes }: CsiVolume, object: CSIDriver | undefined): boolean {
  if (readOnly) return false;
  switch (object?.spec.fsGroupPolicy ?? "ReadWriteOnceWithFSType") {
    case "File":
      return true;
    case "None":
      return false;
    default:
      return fsType !== "" && (accessModes.includes("ReadWriteOnce") || accessModes.includes("ReadWriteOncePod"));
  }
}
