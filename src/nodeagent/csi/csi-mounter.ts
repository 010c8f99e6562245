// Volumes of storage drivers on this node: staged once for the node, published for each pod, and given back in the
// opposite order. What is there stands in files beside the mounts, so that an agent that starts again can give it back.

import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Client } from "../../client/client.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { CSIDriver } from "../../kinds/storage/csi-driver.ts";
import { Turns } from "../turns.ts";
import type { VolumeCapacity } from "../volumes/pod-volumes.ts";
import { takeOwnership } from "../volumes/take-ownership.ts";
import type { CsiDriver } from "./csi-driver.ts";
import type { CsiDrivers } from "./csi-drivers.ts";
import { CsiFolders, readVolumeData, removeVolumeData, type VolumeData, writeVolumeData } from "./csi-folders.ts";
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

export class CsiMounter {
  readonly #options: CsiMounterOptions;
  readonly #folders: CsiFolders;
  /** By the directory of a pod's volume: whether it is to be published again and again. */
  readonly #published = new Map<string, { readonly isRepeated: boolean }>();
  /** What the node uses, by the name that it is known under. */
  readonly #inUse = new Set<string>();
  /** What an earlier agent has left of volumes, by the same names; undefined until it was looked for. */
  #left: Set<string> | undefined;
  /** One after the other for each volume of the node. */
  readonly #staging = new Turns();

  constructor(options: CsiMounterOptions) {
    this.#options = options;
    this.#folders = new CsiFolders(options);
  }

  /** Looks for what an earlier agent has left. */
  async recall(): Promise<void> {
    const left = new Set<string>();
    for await (const { data } of this.#folders.volumes()) left.add(uniqueVolumeName(data, this.#options.client.names));
    this.#left = left;
    this.#options.onUse();
  }

  /**
   * What an earlier agent has told of stays in use until it is taken off the node: somebody would detach it while it is mounted.
   * Unknown as long as it is not known what was left, or told.
   */
  volumesInUse(): readonly string[] | "unknown" {
    const [left, node] = [this.#left, this.#options.node()];
    if (left === undefined || (left.size > 0 && node === undefined)) return "unknown";
    const told = (node?.status.volumesInUse ?? []).filter((name) => left.has(name));
    return [...new Set([...this.#inUse, ...told])];
  }

  /** Gives the path of the volume on the host. Fails with what the driver or the API says. */
  async mount(pod: Pod, volume: CsiVolume): Promise<string> {
    const target = this.#folders.targetOf(pod, volume);
    const directory = dirname(target);
    if (this.#published.get(directory)?.isRepeated === false) return target;
    const { client, drivers } = this.#options;
    const driver = drivers.driver(volume.driver);
    const object = await client.storage.v1.csiDrivers().find(volume.driver);
    checkLifecycle(volume, object);
    const publishContext = await this.#attached(volume, object);
    await mkdir(directory, { recursive: true, mode: 0o750 });
    await writeVolumeData(directory, volume);
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
      volumePath: this.#folders.targetOf(pod, volume),
      capacityRange: { requiredBytes: capacityBytes },
      ...((await driver.can("STAGE_UNSTAGE_VOLUME")) ? { stagingTargetPath: this.#folders.stagingPath(volume) } : {}),
      volumeCapability: volumeCapability(volume, { countsWriters, group: undefined }),
      secrets: await this.#secrets(volume.expandSecret),
    });
    return true;
  }

  /** How full the volume is, where its driver says so. */
  async measure(pod: Pod, volume: CsiVolume): Promise<VolumeCapacity | undefined> {
    const driver = this.#options.drivers.driver(volume.driver);
    if (!(await driver.can("GET_VOLUME_STATS"))) return undefined;
    const { usage } = await driver.stats(
      volume.handle,
      this.#folders.targetOf(pod, volume),
      this.#folders.stagingPath(volume),
    );
    const [bytes, inodes] = ["BYTES", "INODES"].map((unit) => usage.find((each) => each.unit === unit));
    return { ...(bytes === undefined ? {} : { bytes }), ...(inodes === undefined ? {} : { inodes }) };
  }

  /**
   * Gives back the volumes of a pod, and those of the node that nobody uses any more. Fails where a driver does, when all have
   * been tried: others wait for the volumes of the others.
   */
  async unmountAll(uid: string): Promise<void> {
    const problems: unknown[] = [];
    for (const each of await this.#folders.volumesOf(uid))
      await this.#unmount(each).catch((error: unknown) => problems.push(error));
    if (problems.length > 0) throw problems[0];
  }

  async #unmount({ directory, target }: { readonly directory: string; readonly target: string }): Promise<void> {
    const data = await readVolumeData(directory);
    if (data !== undefined) {
      await this.#options.drivers.driver(data.driver).unpublish(data.handle, target);
      await this.#unstage(data, directory);
    }
    this.#published.delete(directory);
  }

  async #stage(
    driver: CsiDriver,
    volume: CsiVolume,
    context: Pick<StageRequest, "volumeId" | "publishContext" | "volumeCapability">,
  ): Promise<string | undefined> {
    if (!(await driver.can("STAGE_UNSTAGE_VOLUME"))) return undefined;
    const directory = this.#folders.stagingDirectory(volume);
    const stagingTargetPath = this.#folders.stagingPath(volume);
    await this.#staging.take(directory, async () => {
      await mkdir(stagingTargetPath, { recursive: true, mode: 0o750 });
      await writeVolumeData(directory, volume);
      const secrets = await this.#secrets(volume.stageSecret);
      await driver.stage({ ...context, stagingTargetPath, secrets, volumeContext: { ...volume.attributes } });
    });
    return stagingTargetPath;
  }

  /** The pod's own record goes last: as long as it is there, what fails is tried again. */
  async #unstage(data: VolumeData, ofPod: string): Promise<void> {
    const { driver, handle } = data;
    const directory = this.#folders.stagingDirectory(data);
    await this.#staging.take(directory, async () => {
      if (!(await this.#folders.isUsed(data, ofPod))) {
        if ((await readVolumeData(directory)) !== undefined) {
          await this.#options.drivers.driver(driver).unstage(handle, this.#folders.stagingPath(data));
          await rm(directory, { recursive: true, force: true });
        }
        const name = uniqueVolumeName(data, this.#options.client.names);
        const wasLeft = this.#left?.delete(name) ?? false;
        if (this.#inUse.delete(name) || wasLeft) this.#options.onUse();
      }
      await removeVolumeData(ofPod);
    });
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
    // Both in one and the same version of the node: whoever detaches first takes it from the one list, then reads the other.
    const { volumesInUse = [], volumesAttached = [] } = node()?.status ?? {};
    const isTold = volumesInUse.includes(name);
    if (!isTold || !volumesAttached.some((each) => each.name === name)) {
      onUse();
      const why = isTold ? "is not yet attached" : "is not yet in use";
      throw new Error(`volume "${name}" ${why} according to node status`);
    }
    const attachment = await client.storage.v1.volumeAttachments().find(attachmentName(volume, nodeName));
    if (attachment?.metadata.deletionTimestamp !== undefined)
      throw new Error(`volume "${name}" is about to be detached`);
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
