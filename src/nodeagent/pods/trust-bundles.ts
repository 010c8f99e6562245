// The ClusterTrustBundles that pods have in their volumes: followed from the first pod on that wants one, so that nodes without
// such pods have none of them in memory.

import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { type Discovery, discover } from "../../client/discovery.ts";
import type { Informer } from "../../client/informer.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import { anotherVersion } from "../../kinds/another-version.ts";
import { type ClusterTrustBundle, clusterTrustBundle } from "../../kinds/certificates/cluster-trust-bundle.ts";
import type { ClusterTrustBundleProjection } from "../../kinds/core/volumes/projected-volume.ts";
import { trustAnchors } from "../volumes/trust-anchors.ts";

interface TrustBundlesDeps {
  readonly client: Pick<ResourceClient, "transport" | "names">;
  readonly clock: Clock;
  readonly informers: Pick<SharedInformers, "of">;
}

/** The better one first. */
const VERSIONS = [clusterTrustBundle, anotherVersion(clusterTrustBundle, "v1alpha1")];
/** A pod that waits longer is tried again later. */
const MAX_WAIT_MS = 10_000;
const SEED_BYTES = 32;

export class TrustBundles {
  readonly #deps: TrustBundlesDeps;
  /** The order of certificates stays while the agent runs, and is another one with the next. */
  readonly #seed = randomBytes(SEED_BYTES);
  #informer: Informer<ClusterTrustBundle> | undefined;

  constructor(deps: TrustBundlesDeps) {
    this.#deps = deps;
  }

  /** The content of the file (PEM). Fails where a bundle is missing that must be there, or nothing is known of them. */
  async anchors(source: ClusterTrustBundleProjection, signal: AbortSignal | undefined): Promise<Uint8Array> {
    this.#informer ??= await this.#follow(signal);
    if (!this.#informer.synced) await this.#wait(this.#informer, signal);
    const rankOf = (certificate: Uint8Array) => createHmac("sha256", this.#seed).update(certificate).digest("hex");
    return trustAnchors(source, this.#informer.cache.list(), rankOf);
  }

  async #follow(signal: AbortSignal | undefined): Promise<Informer<ClusterTrustBundle>> {
    const { client, informers } = this.#deps;
    const { resources } = await discover(client.transport, signal === undefined ? {} : { signal });
    const group = client.names.group(clusterTrustBundle.group);
    const isServed = ({ version, resource }: (typeof VERSIONS)[number]) =>
      resources.some(
        (each: Discovery["resources"][number]) =>
          each.group === group && each.version === version && each.resource === resource,
      );
    const kind = VERSIONS.find(isServed);
    if (kind === undefined) throw new Error("the API server serves no ClusterTrustBundles");
    return informers.of(kind, { withoutManagedFields: true });
  }

  async #wait(informer: Informer<ClusterTrustBundle>, signal: AbortSignal | undefined): Promise<void> {
    const over = new AbortController();
    const late = this.#deps.clock.sleep(MAX_WAIT_MS, AbortSignal.any([over.signal, ...(signal ? [signal] : [])]));
    try {
      await Promise.race([informer.whenSynced(), late]);
    } finally {
      over.abort();
      late.catch(() => undefined);
    }
    if (!informer.synced) throw new Error("the ClusterTrustBundles have not been read yet");
  }
}
