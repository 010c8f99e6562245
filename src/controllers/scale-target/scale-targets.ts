// Finds the scale of anything that scales, of built-in and custom kinds, by the words with which objects refer to it.

import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import { type DiscoveredResource, type Discovery, discover } from "../../client/discovery.ts";
import { parseApiVersion } from "../../meta/object.ts";

/** How long an answer of discovery is good for; a kind that is not in it is asked for again after this too. */
const FRESH_MS = 30_000;

interface TargetReference {
  readonly apiVersion: string;
  readonly kind: string;
}

export class ScaleTargets {
  readonly #client: Client;
  readonly #clock: Clock;
  #known: { readonly discovery: Promise<Discovery>; readonly atMs: number } | undefined;

  constructor({ client, clock }: { readonly client: Client; readonly clock: Clock }) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The resource of a kind: in the version that is named, or in another one of its group. Undefined when there is none. */
  async find({ apiVersion, kind }: TargetReference): Promise<DiscoveredResource | undefined> {
    const parsed = parseApiVersion(apiVersion);
    if (parsed === undefined) return undefined;
    const { resources } = await this.#discovery();
    const ofGroup = resources.filter((each) => each.kind === kind && each.group === parsed.group);
    return ofGroup.find(({ version }) => version === parsed.version) ?? ofGroup[0];
  }

  /** The scale endpoint of a resource in a namespace. */
  scaleOf({ group, version, resource, namespaced }: DiscoveredResource, namespace: string) {
    return this.#client.named({ group, version, resource, namespaced }, namespaced ? namespace : undefined).scale;
  }

  #discovery(): Promise<Discovery> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#known !== undefined && nowMs - this.#known.atMs < FRESH_MS) return this.#known.discovery;
    const discovery = discover(this.#client.transport);
    const known = { discovery, atMs: nowMs };
    this.#known = known;
    discovery.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return discovery;
  }
}
