// The ConfigMap from which servers behind learn whom to trust. Kept in step with the files that flags name, and made again when
// somebody deletes it.

import type { Background } from "../../../base/background.ts";
import type { BackgroundLoop } from "../../../base/background-loop.ts";
import type { Clock } from "../../../base/clock.ts";
import { FollowedFile } from "../../../base/follow-file.ts";
import type { Log } from "../../../base/log.ts";
import type { ConfigMap } from "../../../kinds/core/config-map.ts";
import type { ApiServerOptions } from "../../../options/api-server-options.ts";
import type { Catalog } from "../../../registry/catalog.ts";
import { ObjectMirror } from "../../../registry/object-mirror.ts";
import type { ObjectStore } from "../../../registry/object-store.ts";
import { ensureAsServer } from "../../../registry/server-writes.ts";
import type { WriteDeps } from "../../../registry/write.ts";
import { mergeTrust, sameData, type Trust } from "./trust-data.ts";

/** Authorities of the server's own making, in PEM, beside those that flags name. */
export interface OwnAuthorities {
  readonly clientCaPem?: string;
  /** Of the certificate that servers behind are shown. */
  readonly proxyCaPem?: string;
}

interface PublishedTrustParts {
  readonly deps: WriteDeps;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  readonly options: ApiServerOptions;
  readonly own: OwnAuthorities;
}

const NAME = "extension-apiserver-authentication";
/** A certificate in it may have ended. */
const LOOK_EVERY_MS = 60_000;

/** The headers that this server sends, and the name in the certificate that it makes for itself. */
const OWN_PROXY = {
  usernameHeaders: ["X-Remote-User"],
  groupHeaders: ["X-Remote-Group"],
  extraHeaderPrefixes: ["X-Remote-Extra-"],
  allowedNames: ["front-proxy-client"],
};

export class PublishedTrust {
  readonly #parts: PublishedTrustParts;
  /** What the files hold, by path. */
  readonly #contents = new Map<string, string>();
  readonly #followed: FollowedFile[] = [];
  #own: ObjectStore | undefined;
  #stored: ObjectMirror | undefined;
  readonly #loop: BackgroundLoop;

  constructor(parts: PublishedTrustParts) {
    this.#parts = parts;
    this.#loop = parts.background.loop({
      name: "published-trust",
      oncePerStore: true,
      failure: "the authorities cannot be published, trying again",
      everyMs: LOOK_EVERY_MS,
      reconcile: async () => {
        await this.#write();
        return "done";
      },
    });
  }

  /** Resolves when the ConfigMap is there. */
  async start(): Promise<void> {
    const { clientCaFile, requestheaderClientCaFile } = this.#parts.options;
    const files = [clientCaFile, requestheaderClientCaFile].filter((file) => file !== undefined);
    await Promise.all(files.map((file) => this.#follow(file)));
    await this.#loop.settle();
    await this.#watch();
  }

  close(): void {
    this.#loop.close();
    this.#stored?.close();
    void this.#own?.close();
    for (const file of this.#followed) file.close();
  }

  /** Hears when somebody else changes or deletes it. */
  async #watch(): Promise<void> {
    const { catalog, deps } = this.#parts;
    const store = catalog.own("", "v1", "configmaps")?.store;
    if (store === undefined) return;
    // Of all ConfigMaps only those of one namespace are read at the start.
    this.#own = store.ofNamespace(deps.names.systemNamespace);
    this.#stored = new ObjectMirror(this.#own, {
      only: { namespace: "", name: NAME },
      onChange: () => this.#loop.enqueue(),
    });
    await this.#stored.ready();
  }

  async #follow(path: string): Promise<void> {
    const { clock, log } = this.#parts;
    let first = true;
    const file = new FollowedFile(path, {
      clock,
      known: Buffer.alloc(0),
      intervalMs: LOOK_EVERY_MS,
      onError: (error) => log.warn({ err: error, file: path }, "authorities cannot be published; the old ones stay"),
      onContent: (content) => {
        this.#contents.set(path, Buffer.from(content).toString("utf8"));
        if (!first) this.#loop.enqueue();
      },
    });
    this.#followed.push(file);
    await file.look();
    first = false;
  }

  async #write(): Promise<void> {
    const { deps, catalog, clock } = this.#parts;
    const resource = catalog.own("", "v1", "configmaps");
    const trust = this.#trust();
    const merged = (stored?: ConfigMap["data"]) => mergeTrust(stored, trust, clock.nowMs());
    const draft = merged();
    if (resource?.store === undefined || Object.keys(draft).length === 0) return;
    await ensureAsServer(
      deps,
      { resource, namespace: deps.names.systemNamespace, name: NAME },
      { data: { ...draft } },
      (object) => {
        const configMap = object as unknown as ConfigMap;
        const data = merged(configMap.data);
        if (sameData(configMap.data, data)) return false;
        configMap.data = { ...data };
        return true;
      },
    );
  }

  #trust(): Trust {
    const { options, own, deps } = this.#parts;
    const fromFile = (path: string | undefined) => (path === undefined ? "" : (this.#contents.get(path) ?? ""));
    const generated = own.proxyCaPem ?? "";
    const ofOwn = (values: readonly string[]) => (generated === "" ? [] : values);
    // An empty list of names allows all of them: one more would take that away.
    const anyName = options.requestheaderClientCaFile !== undefined && options.requestheaderAllowedNames.length === 0;
    return {
      clientCa: `${fromFile(options.clientCaFile)}\n${own.clientCaPem ?? ""}`,
      proxyCa: `${fromFile(options.requestheaderClientCaFile)}\n${generated}`,
      usernameHeaders: [...options.requestheaderUsernameHeaders, ...ofOwn(OWN_PROXY.usernameHeaders)],
      uidHeaders: deps.gateEnabled("RemoteRequestHeaderUID") ? options.requestheaderUidHeaders : [],
      groupHeaders: [...options.requestheaderGroupHeaders, ...ofOwn(OWN_PROXY.groupHeaders)],
      extraHeaderPrefixes: [...options.requestheaderExtraHeadersPrefix, ...ofOwn(OWN_PROXY.extraHeaderPrefixes)],
      allowedNames: anyName ? [] : [...options.requestheaderAllowedNames, ...ofOwn(OWN_PROXY.allowedNames)],
    };
  }
}
