// Records of image pulls: what is being pulled, and with which credentials a present image was pulled, so that a pod
// without them does not get it. Requirements: document 3, "Node-agent local files and sockets" (image pull records).
//
//   image_manager/pulling/sha256-<of the image as asked for>     written before a pull, removed after it
//   image_manager/pulled/sha256-<of the image as the runtime names it>

import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { canonicalText, isObject } from "../../base/json.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { Image } from "../cri/image-messages.ts";
import type { CredentialSource, FoundCredentials } from "./pull-credentials.ts";

interface PullRecordsOptions {
  readonly directory: string;
  readonly apiVersion: string;
  /** The members that list secrets and service accounts, as the dialect spells them. */
  readonly fields: { readonly secrets: string; readonly serviceAccounts: string };
  readonly nowMs: () => number;
  readonly verification: PullVerification;
}

/** Which present images a pod may use without credentials of its own. */
export interface PullVerification {
  readonly policy: "NeverVerify" | "NeverVerifyPreloadedImages" | "NeverVerifyAllowlistedImages" | "AlwaysVerify";
  /** Repositories; one that ends with `/*` stands for all below it. */
  readonly allowlist: readonly string[];
}

interface Owner {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

interface SecretRecord extends Owner {
  readonly credentialHash: string;
}

/** Who has shown that it may have an image of one repository. */
interface Mapping {
  readonly secrets: readonly SecretRecord[];
  readonly serviceAccounts: readonly Owner[];
  readonly isOpen: boolean;
}

/** By repository. */
type Mappings = ReadonlyMap<string, Mapping>;

/** A secret that only resembles a known one is noted too, up to so many: then the next look is quick. */
const MAX_NOTED_SECRETS = 100;

export class PullRecords {
  readonly #options: PullRecordsOptions;
  /** How many pulls of an image are under way: its note goes with the last. */
  readonly #pulling = new Map<string, number>();
  /** One change of a file after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: PullRecordsOptions) {
    this.#options = options;
  }

  /**
   * Makes the directories. What an agent before this one was pulling when it ended, and is there, nobody has shown
   * credentials for yet.
   */
  async open(listImages: () => Promise<readonly Pick<Image, "id" | "repoTags" | "repoDigests">[]>): Promise<void> {
    for (const folder of ["pulling", "pulled"]) await mkdir(this.#folder(folder), { recursive: true, mode: 0o700 });
    const intents = (await this.#read("pulling")).map(({ image }) => image);
    if (intents.length === 0) return;
    for (const { id, repoTags, repoDigests } of await listImages()) {
      for (const image of intents) {
        if (typeof image !== "string" || ![...repoTags, ...repoDigests].includes(image)) continue;
        await this.#inTurn(async () => {
          await this.#note(id, (known) => known);
          await rm(this.#pullingFile(image), { force: true });
        });
      }
    }
  }

  async pulling(image: string): Promise<void> {
    this.#pulling.set(image, (this.#pulling.get(image) ?? 0) + 1);
    const { apiVersion } = this.#options;
    await this.#inTurn(() => write(this.#pullingFile(image), { kind: "ImagePullIntent", apiVersion, image }));
  }

  /** No other pull of the image may be under way when its note goes. */
  async failed(image: string): Promise<void> {
    const left = (this.#pulling.get(image) ?? 1) - 1;
    if (left > 0) this.#pulling.set(image, left);
    else {
      this.#pulling.delete(image);
      await this.#inTurn(() => rm(this.#pullingFile(image), { force: true }));
    }
  }

  /** Adds to what is known of the image. Without credentials, or with those of the node, every pod may use it. */
  async pulled(image: string, imageRef: string, used: FoundCredentials | undefined): Promise<void> {
    await this.#inTurn(() => this.#note(imageRef, (known) => added(known, repositoryOf(image), used)));
    await this.failed(image);
  }

  /** Whether a present image has to be pulled again to show that the pod may have it. */
  async mustPull(
    image: string,
    imageRef: string,
    credentials: () => Promise<readonly FoundCredentials[]>,
  ): Promise<boolean> {
    const { verification } = this.#options;
    if (verification.policy === "NeverVerify") return false;
    const repository = repositoryOf(image);
    const { mappings, isOurs } = await this.#inTurn(() => this.#known(image, imageRef));
    if (!mustVerify(repository, isOurs, verification)) return false;
    const mapping = mappings?.get(repository);
    if (mapping === undefined) return true;
    if (mapping.isOpen) return false;
    for (const found of await credentials()) {
      const match = matchOf(found, mapping);
      if (match === "similar" && mapping.secrets.length < MAX_NOTED_SECRETS)
        await this.#inTurn(() => this.#note(imageRef, (known) => added(known, repository, found)));
      if (match !== undefined) return false;
    }
    return true;
  }

  /** Forgets images other than these, unless something was written of them since. */
  async keepOnly(imageRefs: ReadonlySet<string>, sinceMs: number): Promise<void> {
    for (const { imageRef, lastUpdatedTime } of await this.#read("pulled")) {
      if (typeof imageRef !== "string" || imageRefs.has(imageRef)) continue;
      if (typeof lastUpdatedTime === "string" && Date.parse(lastUpdatedTime) >= sinceMs) continue;
      await this.#inTurn(() => rm(this.#pulledFile(imageRef), { force: true }));
    }
  }

  /** What was pulled by this agent or one before it has a record, or at least a note that it was begun. */
  async #known(image: string, imageRef: string): Promise<{ mappings: Mappings | undefined; isOurs: boolean }> {
    const record = await readRecord(this.#pulledFile(imageRef));
    if (record === "unreadable") return { mappings: undefined, isOurs: true };
    if (record !== undefined) return { mappings: this.#mappingsOf(record), isOurs: true };
    const isPulling = this.#pulling.has(image) || (await readRecord(this.#pullingFile(image))) !== undefined;
    return { mappings: undefined, isOurs: isPulling };
  }

  async #note(imageRef: string, change: (known: Mappings) => Mappings): Promise<void> {
    const { apiVersion, fields, nowMs } = this.#options;
    const record = await readRecord(this.#pulledFile(imageRef));
    const known = isObject(record) ? this.#mappingsOf(record) : new Map<string, Mapping>();
    const changed = change(known);
    // What nothing was added to stays as it was written; a record that says nothing yet is written too.
    if (changed === known && isObject(record)) return;
    const credentialMapping = Object.fromEntries(
      [...changed].map(([name, { secrets, serviceAccounts, isOpen }]) => [
        name,
        isOpen
          ? { nodePodsAccessible: true }
          : {
              ...(secrets.length === 0 ? {} : { [fields.secrets]: secrets }),
              ...(serviceAccounts.length === 0 ? {} : { [fields.serviceAccounts]: serviceAccounts }),
            },
      ]),
    );
    const lastUpdatedTime = timeOfMs(nowMs());
    await write(this.#pulledFile(imageRef), {
      ...{ kind: "ImagePulledRecord", apiVersion, lastUpdatedTime, imageRef, credentialMapping },
    });
  }

  #mappingsOf(record: Readonly<Record<string, unknown>>): Mappings {
    const { fields } = this.#options;
    const stored = isObject(record["credentialMapping"]) ? record["credentialMapping"] : {};
    const mappings = new Map<string, Mapping>();
    for (const [repository, value] of Object.entries(stored)) {
      if (!isObject(value)) continue;
      const list = (name: string) => (Array.isArray(value[name]) ? value[name].filter(isObject) : []);
      mappings.set(repository, {
        secrets: list(fields.secrets) as unknown as SecretRecord[],
        serviceAccounts: list(fields.serviceAccounts) as unknown as Owner[],
        isOpen: value["nodePodsAccessible"] === true,
      });
    }
    return mappings;
  }

  /** All records of a folder that can be read. */
  async #read(folder: "pulling" | "pulled"): Promise<Readonly<Record<string, unknown>>[]> {
    const names = await readdir(this.#folder(folder)).catch(() => []);
    const records = await Promise.all(names.map((name) => readRecord(join(this.#folder(folder), name))));
    return records.filter((record) => isObject(record));
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const next = this.#last.then(change);
    this.#last = next.catch(() => undefined);
    return next;
  }

  #folder(name: string): string {
    return join(this.#options.directory, name);
  }

  #pullingFile(image: string): string {
    return join(this.#folder("pulling"), fileName(image));
  }

  #pulledFile(imageRef: string): string {
    return join(this.#folder("pulled"), fileName(imageRef));
  }
}

/** Undefined where there is none. */
async function readRecord(file: string): Promise<Readonly<Record<string, unknown>> | "unreadable" | undefined> {
  try {
    const record: unknown = JSON.parse((await readSmallFile(file)).toString("utf8"));
    return isObject(record) ? record : "unreadable";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : "unreadable";
  }
}

/** A record is never seen half written. */
async function write(file: string, record: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.tmp`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}

/** `isOurs` says whether the image was pulled by an agent; others were here before it. */
function mustVerify(repository: string, isOurs: boolean, { policy, allowlist }: PullVerification): boolean {
  switch (policy) {
    case "NeverVerify":
      return false;
    case "NeverVerifyPreloadedImages":
      return isOurs;
    case "NeverVerifyAllowlistedImages":
      return !allowlist.some((each) =>
        each.endsWith("/*") ? repository.startsWith(each.slice(0, -1)) : repository === each,
      );
    case "AlwaysVerify":
      return true;
  }
}

/** The same where it says so already. */
function added(known: Mappings, repository: string, used: FoundCredentials | undefined): Mappings {
  const before = known.get(repository) ?? { secrets: [], serviceAccounts: [], isOpen: false };
  const after = used === undefined ? OPEN : withOwner(before, used);
  return after === before ? known : new Map([...known, [repository, after]]);
}

const OPEN: Mapping = { secrets: [], serviceAccounts: [], isOpen: true };

function withOwner(before: Mapping, { auth, source }: FoundCredentials): Mapping {
  if (before.isOpen) return before;
  switch (source.of) {
    case "node":
      return OPEN;
    case "secret": {
      const record = { ...ownerOf(source), credentialHash: hashOf(auth) };
      if (before.secrets.some((each) => isSame(each, record) && each.credentialHash === record.credentialHash))
        return before;
      return { ...before, secrets: [...before.secrets.filter((each) => !isSame(each, record)), record] };
    }
    case "serviceAccount": {
      const owner = ownerOf(source);
      if (before.serviceAccounts.some((each) => isSame(each, owner))) return before;
      return { ...before, serviceAccounts: [...before.serviceAccounts, owner] };
    }
  }
}

/** A secret may have other credentials by now, and credentials may stand in another secret. */
function matchOf({ auth, source }: FoundCredentials, { secrets, serviceAccounts }: Mapping) {
  if (source.of === "node") return undefined;
  const owner = ownerOf(source);
  if (source.of === "serviceAccount") return serviceAccounts.some((each) => isSame(each, owner)) ? "same" : undefined;
  const credentialHash = hashOf(auth);
  const matches = secrets.map((each) => [isSame(each, owner), each.credentialHash === credentialHash] as const);
  if (matches.some(([isOwner, isHash]) => isOwner && isHash)) return "same";
  return matches.some(([isOwner, isHash]) => isOwner || isHash) ? "similar" : undefined;
}

const ownerOf = ({ uid, namespace, name }: Exclude<CredentialSource, { of: "node" }>): Owner => ({
  ...{ uid, namespace, name },
});

const isSame = (a: Owner, b: Owner): boolean => a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const fileName = (name: string): string => `sha256-${sha256(name)}`;
const hashOf = (auth: FoundCredentials["auth"]): string => sha256(canonicalText(auth));

function repositoryOf(image: string): string {
  const name = image.split("@")[0]!;
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  return colon < 0 ? name : name.slice(0, colon);
}
