// Shows static pods in the API: a mirror for each, made again when somebody deletes or an older one shows another pod.

import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { QueueMetrics } from "../../base/queue-metrics.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import { keyText, parseKeyText } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { mirrorHash, mirrorOf } from "./static-pod.ts";

interface MirrorPodsDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly node: () => Node | undefined;
  /** The static pod of this name, by `namespace/name`. */
  readonly staticPod: (key: string) => Pod | undefined;
  /** Whether one of this name that nobody wants any more still runs: until it has ended, its mirror tells of it. */
  readonly isEnding: (key: string) => boolean;
  /** Whether it is known which static pods there are: before, what seems to be nobody's may be somebody's. */
  readonly knowsStatic: () => boolean;
  /** Whether it is known which pods the API has: before, a mirror that is there would be made once more. */
  readonly knowsMirrors: () => boolean;
  /** What the API has of this name, if it is a mirror. */
  readonly mirror: (key: string) => Pod | undefined;
  readonly onError: (error: unknown, key: string) => void;
  readonly metrics?: QueueMetrics;
}

const RETRY_MS = { first: 1_000, max: 30_000 };
/** The node has to be in the API before anything can belong to it. */
const NODE_WAIT_MS = 500;
const SOURCES_WAIT_MS = 1_000;
const ENDING_WAIT_MS = 1_000;

export class MirrorPods {
  readonly #deps: MirrorPodsDeps;
  readonly #loop: BackgroundLoop;

  constructor(deps: MirrorPodsDeps) {
    this.#deps = deps;
    const { clock, onError, metrics } = deps;
    const measured = metrics === undefined ? {} : { metrics };
    const reconcile = (key: string) => this.#reconcile(key);
    this.#loop = new BackgroundLoop({ clock, onError, retryMs: RETRY_MS, reconcile, ...measured });
  }

  /** The static pod or the mirror of this name has changed. */
  check({ metadata }: Pod): void {
    const { namespace, name = "" } = metadata;
    this.#loop.enqueue(keyText(namespace === undefined ? { name } : { namespace, name }));
  }

  close(): void {
    this.#loop.close();
  }

  async #reconcile(key: string): Promise<Outcome> {
    const { client, staticPod, isEnding, knowsStatic, knowsMirrors, mirror, node } = this.#deps;
    const wanted = staticPod(key);
    const shown = mirror(key);
    if (shown !== undefined && wanted === undefined && !knowsStatic()) return { againInMs: SOURCES_WAIT_MS };
    if (shown !== undefined && shown.metadata.deletionTimestamp === undefined && isEnding(key))
      return { againInMs: ENDING_WAIT_MS };
    const { names } = client;
    const { namespace } = parseKeyText(key);
    if (
      shown !== undefined &&
      !isGood(shown, wanted === undefined ? undefined : mirrorHash(wanted, names), names.mirrorPodAnnotation)
    ) {
      await this.#delete(shown);
      // The watch tells when it is gone: then it is made anew.
      return "done";
    }
    if (wanted === undefined || shown !== undefined) return "done";
    const owner = node();
    if (owner === undefined || !knowsMirrors()) return { againInMs: NODE_WAIT_MS };
    await client.core.v1.pods(namespace).create(mirrorOf(wanted, owner, names));
    return "done";
  }

  async #delete({ metadata }: Pod): Promise<void> {
    const { namespace, name = "", uid = "" } = metadata;
    try {
      await this.#deps.client.core.v1.pods(namespace).delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    }
  }
}

/** Whether the mirror shows the pod as it is now, and will go on doing so. */
function isGood({ metadata }: Pod, hash: string | undefined, annotation: string): boolean {
  return hash !== undefined && metadata.deletionTimestamp === undefined && metadata.annotations?.[annotation] === hash;
}
