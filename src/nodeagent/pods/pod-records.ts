// What pods were given of the node's resources, in two files that outlive the agent: what was set aside for them, and what
// the runtime was told. Requirements: document 3, "Node-agent local files and sockets" (pod resource records).
//
//   {"data":"{\"entries\":{\"<uid>\":{\"ContainerResources\":{\"main\":{\"requests\":{\"cpu\":\"100m\"}}}}}}","checksum":1}

import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import { equalJson, isObject } from "../../base/json.ts";
import type { ResourceRequirements } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { checksumOf } from "../checkpoint-checksum.ts";
import { readStateFile, writeStateFile } from "../state-file.ts";

type Amounts = Pick<ResourceRequirements, "limits" | "requests">;
export type ContainerAmounts = Record<string, Amounts>;

interface PodRecordOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export class PodRecord {
  readonly #file: string;
  readonly #loop: BackgroundLoop;
  readonly #entries = new Map<string, ContainerAmounts>();

  constructor({ file, clock, onError }: PodRecordOptions) {
    this.#file = file;
    this.#loop = new BackgroundLoop({ clock, onError, reconcile: () => this.#write().then(() => "done") });
  }

  /** Reads what an earlier agent has written; a damaged file is begun anew. Fails with StartError when it is no file. */
  async open(): Promise<void> {
    for (const [uid, amounts] of parse((await readStateFile(this.#file)) ?? "")) this.#entries.set(uid, amounts);
    await this.#write();
  }

  get(uid: string): ContainerAmounts | undefined {
    return this.#entries.get(uid);
  }

  set(uid: string, amounts: ContainerAmounts): void {
    if (equalJson(this.#entries.get(uid), amounts)) return;
    this.#entries.set(uid, amounts);
    this.#loop.enqueue();
  }

  delete(uid: string): void {
    if (this.#entries.delete(uid)) this.#loop.enqueue();
  }

  uids(): string[] {
    return [...this.#entries.keys()];
  }

  /** Writes what has not been written. */
  async close(): Promise<void> {
    await this.#loop.idle();
    this.#loop.close();
  }

  async #write(): Promise<void> {
    const entries = Object.fromEntries(
      [...this.#entries].map(([uid, amounts]) => [uid, { ContainerResources: amounts }]),
    );
    const data = JSON.stringify({ entries });
    await writeStateFile(this.#file, JSON.stringify({ data, checksum: checksumOf(data) }));
  }
}

/** What all containers of a pod ask for. */
export function amountsOf({ spec }: Pod): ContainerAmounts {
  const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  return Object.fromEntries(all.map(({ name, resources }) => [name, amounts(resources)]));
}

function amounts({ limits, requests }: Amounts = {}): Amounts {
  return { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) };
}

function parse(text: string): [uid: string, amounts: ContainerAmounts][] {
  try {
    const file: unknown = JSON.parse(text);
    const data = isObject(file) && typeof file["data"] === "string" ? file["data"] : "";
    if (!isObject(file) || file["checksum"] !== checksumOf(data)) return [];
    const record: unknown = JSON.parse(data);
    const entries = isObject(record) && isObject(record["entries"]) ? record["entries"] : {};
    return Object.entries(entries).flatMap(([uid, entry]) =>
      isObject(entry) && isObject(entry["ContainerResources"])
        ? [[uid, entry["ContainerResources"] as unknown as ContainerAmounts] as [string, ContainerAmounts]]
        : [],
    );
  } catch {
    return [];
  }
}
