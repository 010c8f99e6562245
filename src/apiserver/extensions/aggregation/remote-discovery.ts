// What the servers behind say that they serve, as they said it last.

import { equalJson } from "../../../base/json.ts";
import type { HttpsAnswer } from "../../../client/callouts/https-caller.ts";
import type { Names } from "../../../meta/names.ts";
import { SYSTEM_MASTERS } from "../../../meta/user.ts";
import type { Backends } from "./backend.ts";
import type { RemoteApi } from "./remote-api.ts";
import { decodeDocument, readDocument } from "./remote-document.ts";
import { type ResourceEntry, resourcesOfDiscovery, resourcesOfList } from "./remote-resources.ts";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 3 * 1024 * 1024;
const USER = { name: "system:kube-aggregator", groups: [SYSTEM_MASTERS] };

interface RemoteDiscoveryParts {
  readonly names: Names;
  readonly backends: Backends;
  readonly onChange: () => void;
}

export class RemoteDiscovery {
  readonly #parts: RemoteDiscoveryParts;
  /** By group and version. Those that could not be read last time are not here. */
  readonly #resources = new Map<string, readonly ResourceEntry[]>();

  constructor(parts: RemoteDiscoveryParts) {
    this.#parts = parts;
  }

  /** Undefined when it could not be read. */
  resourcesOf({ group, version, available }: RemoteApi): readonly ResourceEntry[] | undefined {
    return available ? this.#resources.get(`${group}/${version}`) : undefined;
  }

  async refresh(api: RemoteApi): Promise<void> {
    const now = await this.#read(api).catch(() => undefined);
    const key = `${api.group}/${api.version}`;
    const before = this.#resources.get(key);
    if (now === undefined) this.#resources.delete(key);
    else this.#resources.set(key, now);
    const same = now === undefined || before === undefined ? now === before : equalJson(now, before);
    if (!same) this.#parts.onChange();
  }

  forget({ group, version }: RemoteApi): void {
    this.#resources.delete(`${group}/${version}`);
  }

  /** All groups at once where the server can say it so, and the one list otherwise. */
  async #read(api: RemoteApi): Promise<ResourceEntry[] | undefined> {
    const form = `g=${this.#parts.names.group("apidiscovery")};v=v2;as=APIGroupDiscoveryList`;
    const whole = await this.#ask(api, "/apis", `application/json;${form}`);
    if (whole.status === 503) return undefined;
    if (whole.status === 200 && String(whole.headers["content-type"]).replaceAll(" ", "").includes(form))
      return resourcesOfDiscovery(decodeDocument(whole.body), api.group, api.version) ?? [];
    const one = await this.#ask(api, `/apis/${api.group}/${api.version}`, "application/json");
    return one.status === 200 ? resourcesOfList(decodeDocument(one.body)) : undefined;
  }

  #ask(api: RemoteApi, path: string, accept: string): Promise<HttpsAnswer> {
    const wish = { path, user: USER, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, accept };
    return readDocument(this.#parts.backends, api, wish);
  }
}
