// The objects of the API that a pod is made of besides itself: ConfigMaps, Secrets, tokens of its service account. They
// are asked for one by one and by name, since a node may read no others.

import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { ServiceAccountTokenProjection } from "../../kinds/core/volumes/projected-volume.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { KeysOf } from "../containers/environment.ts";
import { type Keyring, registriesOf } from "../images/pull-credentials.ts";
import type { ObjectReader } from "./object-reader.ts";

interface WantedKeys {
  readonly configMaps: Iterable<string>;
  readonly secrets: Iterable<string>;
  /** Of ConfigMaps only the keys whose values are text. */
  readonly textOnly?: boolean;
}

export class PodObjects {
  readonly #client: Client;
  readonly #reader: ObjectReader;
  readonly #tokens = new Map<string, CachedToken>();

  constructor(client: Client, reader: ObjectReader) {
    this.#client = client;
    this.#reader = reader;
  }

  /** Asks for all at once. Objects that do not exist have no keys. Fails where the API does. */
  async keys(namespace: string, { configMaps, secrets, textOnly = false }: WantedKeys): Promise<KeysOf> {
    const found = new Map<string, ReadonlyMap<string, Uint8Array>>();
    await Promise.all([
      ...[...new Set(configMaps)].map(async (name) => {
        const object = await this.#reader.configMap(namespace, name);
        if (object === undefined) return;
        const keys = new Map<string, Uint8Array>();
        for (const [key, text] of Object.entries(object.data ?? {})) keys.set(key, Buffer.from(text));
        for (const [key, base64] of textOnly ? [] : Object.entries(object.binaryData ?? {}))
          keys.set(key, Buffer.from(base64, "base64"));
        found.set(`ConfigMap/${name}`, keys);
      }),
      ...[...new Set(secrets)].map(async (name) => {
        const object = await this.#reader.secret(namespace, name);
        if (object !== undefined) found.set(`Secret/${name}`, decoded(object.data));
      }),
    ]);
    return (kind, name) => found.get(`${kind}/${name}`);
  }

  /** The registries of all pull secrets of a pod that exist and can be read. */
  async pullSecrets({ metadata, spec }: Pod): Promise<Keyring[]> {
    const { names } = this.#client;
    const namespace = metadata.namespace ?? "";
    const found: Keyring[] = [];
    for (const { name } of spec.imagePullSecrets ?? []) {
      if (!name) continue;
      const secret = await this.#reader.secret(namespace, name);
      if (secret === undefined) continue;
      const form = secret.type === names.dockercfgType ? "dockercfg" : "dockerconfigjson";
      const content = decoded(secret.data).get(`.${form}`);
      const registries = content === undefined ? undefined : registriesOf(Buffer.from(content).toString("utf8"), form);
      if (registries === undefined) continue;
      found.push({ source: { of: "secret", name, namespace, uid: secret.metadata.uid }, registries });
    }
    return found;
  }

  /** A token of the pod's service account, good for a while yet: the last fifth of its life it is exchanged. */
  async token(pod: Pod, projection: Omit<ServiceAccountTokenProjection, "path">): Promise<string> {
    return (await this.tokenWithTime(pod, projection)).token;
  }

  /** The same with the time at which it ends. */
  async tokenWithTime(
    { metadata, spec }: Pod,
    { audience, expirationSeconds }: Omit<ServiceAccountTokenProjection, "path">,
  ): Promise<{ readonly token: string; readonly expirationTimestamp: string }> {
    const { name = "", namespace = "", uid = "" } = metadata;
    const key = JSON.stringify([uid, audience, expirationSeconds]);
    const known = this.#tokens.get(key);
    const nowMs = this.#client.clock.nowMs();
    if (known !== undefined && nowMs < known.renewAtMs) return timed(known);
    try {
      const { token, expirationTimestamp } = await this.#client.core.v1
        .serviceAccounts(namespace)
        .createToken(spec.serviceAccountName || "default", {
          ...(audience ? { audiences: [audience] } : {}),
          expirationSeconds: Number(expirationSeconds ?? DEFAULT_TOKEN_SECONDS),
          boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
        });
      const expiresAtMs = Date.parse(expirationTimestamp ?? "");
      const lifeMs = Math.min(Number.isNaN(expiresAtMs) ? 0 : expiresAtMs - nowMs, MAX_TOKEN_USE_MS);
      const issued = { token, renewAtMs: nowMs + lifeMs * RENEW_AFTER, expiresAtMs };
      this.#tokens.set(key, issued);
      return timed(issued);
    } catch (error) {
      // One that is still good is better than none while the API is silent.
      if (known !== undefined && nowMs < known.expiresAtMs && !isApiError(error, "NotFound")) return timed(known);
      throw error;
    }
  }

  /** A pod is new here, or another than before: it gets its objects as they are now. */
  expectChanges({ metadata }: Pod): void {
    this.#reader.expectChanges(metadata.namespace ?? "");
  }

  /** The pod is gone. */
  forget(podUid: string): void {
    const prefix = JSON.stringify([podUid]).slice(0, -1);
    for (const key of this.#tokens.keys()) if (key.startsWith(prefix)) this.#tokens.delete(key);
  }
}

interface CachedToken {
  readonly token: string;
  readonly renewAtMs: number;
  readonly expiresAtMs: number;
}

function timed({ token, expiresAtMs }: CachedToken): { token: string; expirationTimestamp: string } {
  return { token, expirationTimestamp: timeOfMs(Number.isNaN(expiresAtMs) ? 0 : expiresAtMs) };
}

const DEFAULT_TOKEN_SECONDS = 3_600;
const RENEW_AFTER = 0.8;
const MAX_TOKEN_USE_MS = 24 * 3_600_000;

function decoded(data: Readonly<Record<string, string>> | undefined): Map<string, Uint8Array> {
  return new Map(Object.entries(data ?? {}).map(([key, base64]) => [key, Buffer.from(base64, "base64")]));
}
