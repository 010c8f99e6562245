// What the servers behind say that they serve, as they said it last.

import { equalJson, isObject, type JsonObject } from "../../../base/json.ts";
import { decodeJson } from "../../../codec/json.ts";
import { SYSTEM_MASTERS } from "../../../meta/user.ts";
import type { Backends } from "./backend.ts";
import type { RemoteApi } from "./remote-api.ts";
import { readDocument } from "./remote-document.ts";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 3 * 1024 * 1024;
const USER = { name: "system:kube-aggregator", groups: [SYSTEM_MASTERS] };

export class RemoteDiscovery {
  readonly #backends: Backends;
  readonly #onChange: () => void;
  /** The entries of an APIResourceList, by group and version. Those that could not be read last time are not here. */
  readonly #resources = new Map<string, readonly JsonObject[]>();

  constructor(backends: Backends, onChange: () => void) {
    this.#backends = backends;
    this.#onChange = onChange;
  }

  /** Undefined when it could not be read. */
  resourcesOf({ group, version, available }: RemoteApi): readonly JsonObject[] | undefined {
    return available ? this.#resources.get(`${group}/${version}`) : undefined;
  }

  async refresh(api: RemoteApi): Promise<void> {
    const now = await this.#read(api).catch(() => undefined);
    const key = `${api.group}/${api.version}`;
    const before = this.#resources.get(key);
    if (now === undefined) this.#resources.delete(key);
    else this.#resources.set(key, now);
    const same = now === undefined || before === undefined ? now === before : equalJson([...now], [...before]);
    if (!same) this.#onChange();
  }

  forget({ group, version }: RemoteApi): void {
    this.#resources.delete(`${group}/${version}`);
  }

  async #read(api: RemoteApi): Promise<readonly JsonObject[] | undefined> {
    const path = `/apis/${api.group}/${api.version}`;
    const wish = { path, user: USER, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const { status, body } = await readDocument(this.#backends, api, wish);
    if (status !== 200) return undefined;
    const { value } = decodeJson(body);
    const resources = isObject(value) ? value["resources"] : undefined;
    return Array.isArray(resources) ? resources.filter(isObject) : [];
  }
}
