// Records of image pulls: what is being pulled, and with which credentials a present image was pulled, so that a pod
// without them does not get it. Requirements: document 3, "Node-agent local files and sockets" (image pull records).
//
//   image_manager/pulling/sha256-<of the image as asked for>     written before a pull, removed after it
//   image_manager/pulled/sha256-<of the image as the runtime names it>

import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { canonicalText, isObject } from "../../base/json.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { FoundCredentials } from "./pull-credentials.ts";

interface PullRecordsOptions {
  readonly directory: string;
  readonly apiVersion: string;
  /** The member that lists secrets, as the dialect spells it. */
  readonly secretsField: string;
  readonly nowMs: () => number;
  readonly verification: PullVerification;
}

/** Which present images a pod may use without credentials of its own. */
export interface PullVerification {
  readonly policy: "NeverVerify" | "NeverVerifyPreloadedImages" | "NeverVerifyAllowlistedImages" | "AlwaysVerify";
  /** Repositories; one that ends with `/*` stands for all below it. */
  readonly allowlist: readonly string[];
}

interface SecretRecord {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly credentialHash: string;
}

interface Mapping {
  readonly secrets: readonly SecretRecord[];
  readonly isOpen: boolean;
}

export class PullRecords {
  readonly #options: PullRecordsOptions;

  constructor(options: PullRecordsOptions) {
    this.#options = options;
  }

  /** Makes the directories. */
  async open(): Promise<void> {
    for (const folder of ["pulling", "pulled"])
      await mkdir(join(this.#options.directory, folder), { recursive: true, mode: 0o700 });
  }

  async pulling(image: string): Promise<void> {
    const { apiVersion } = this.#options;
    await this.#write(this.#pullingFile(image), { kind: "ImagePullIntent", apiVersion, image });
  }

  async failed(image: string): Promise<void> {
    await rm(this.#pullingFile(image), { force: true });
  }

  /** Adds to what is known of the image. Without credentials, every pod of the node may use it. */
  async pulled(image: string, imageRef: string, used: FoundCredentials | undefined): Promise<void> {
    const { apiVersion, secretsField, nowMs } = this.#options;
    const mappings = await this.#mappings(imageRef);
    const repository = repositoryOf(image);
    const before = mappings.get(repository);
    const others = (before?.secrets ?? []).filter(({ uid }) => uid !== used?.secret.uid);
    const after: Mapping =
      used === undefined
        ? { secrets: [], isOpen: true }
        : { secrets: [...others, secretRecord(used)], isOpen: before?.isOpen ?? false };
    mappings.set(repository, after);
    const credentialMapping = Object.fromEntries(
      [...mappings].map(([name, { secrets, isOpen }]) => [
        name,
        isOpen ? { nodePodsAccessible: true } : { [secretsField]: secrets },
      ]),
    );
    const record = {
      kind: "ImagePulledRecord",
      apiVersion,
      lastUpdatedTime: timeOfMs(nowMs()),
      imageRef,
      credentialMapping,
    };
    await this.#write(this.#pulledFile(imageRef), record);
    await this.failed(image);
  }

  /** Whether a present image has to be pulled again to show that the pod may have it. */
  async mustPull(image: string, imageRef: string, credentials: readonly FoundCredentials[]): Promise<boolean> {
    const { verification } = this.#options;
    if (verification.policy === "NeverVerify") return false;
    const mapping = (await this.#mappings(imageRef)).get(repositoryOf(image));
    if (mapping === undefined) return isPreloadedVerified(repositoryOf(image), verification);
    if (mapping.isOpen) return false;
    const given = credentials.map(secretRecord);
    return !given.some((one) =>
      mapping.secrets.some((other) => other.uid === one.uid || other.credentialHash === one.credentialHash),
    );
  }

  async forget(imageRef: string): Promise<void> {
    await rm(this.#pulledFile(imageRef), { force: true });
  }

  #pullingFile(image: string): string {
    return join(this.#options.directory, "pulling", fileName(image));
  }

  #pulledFile(imageRef: string): string {
    return join(this.#options.directory, "pulled", fileName(imageRef));
  }

  async #mappings(imageRef: string): Promise<Map<string, Mapping>> {
    const mappings = new Map<string, Mapping>();
    try {
      const record: unknown = JSON.parse(await readFile(this.#pulledFile(imageRef), "utf8"));
      const stored = isObject(record) && isObject(record["credentialMapping"]) ? record["credentialMapping"] : {};
      for (const [repository, value] of Object.entries(stored)) {
        if (!isObject(value)) continue;
        const secrets = value[this.#options.secretsField];
        mappings.set(repository, {
          secrets: (Array.isArray(secrets) ? secrets : []) as unknown as SecretRecord[],
          isOpen: value["nodePodsAccessible"] === true,
        });
      }
    } catch {
      // No record, or one that cannot be read: nothing is known of the image.
    }
    return mappings;
  }

  /** A record is never seen half written. */
  async #write(file: string, record: object): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(`${file}.tmp`, JSON.stringify(record), { mode: 0o600 });
    await rename(`${file}.tmp`, file);
  }
}

/** Without a record the image was here before the agent. */
function isPreloadedVerified(repository: string, { policy, allowlist }: PullVerification): boolean {
  if (policy === "AlwaysVerify") return true;
  if (policy !== "NeverVerifyAllowlistedImages") return false;
  return !allowlist.some((each) =>
    each.endsWith("/*") ? repository.startsWith(each.slice(0, -1)) : repository === each,
  );
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const fileName = (name: string): string => `sha256-${sha256(name)}`;

function repositoryOf(image: string): string {
  const name = image.split("@")[0]!;
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  return colon < 0 ? name : name.slice(0, colon);
}

function secretRecord({ auth, secret: { uid, namespace, name } }: FoundCredentials): SecretRecord {
  return { uid, namespace, name, credentialHash: sha256(canonicalText(auth)) };
}
