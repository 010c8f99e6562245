// One's own LeaseCandidate: made when the election begins, renewed now and then and whenever the server asks for a sign of
// life, and without one at the end, so that nobody waits for an answer of who has gone.

import { BackgroundLoop } from "../../base/background-loop.ts";
import type { LeaseCandidate } from "../../kinds/coordination/lease-candidate.ts";
import { OLDEST_EMULATION_VERSION } from "../../meta/election-strategy.ts";
import { timeOfMs } from "../../meta/time.ts";
import { isApiError } from "../api-error.ts";
import { kinds } from "../built-in-kinds.ts";
import type { Informer } from "../informer.ts";
import type { ResourceClient } from "../resource-client.ts";
import type { Resource } from "../resources/resource.ts";

/** What a candidate says of itself, by which the server chooses. */
export interface CandidateVersions {
  /** Of the program: a semantic version without a leading v. */
  readonly binaryVersion: string;
  /** The version that it behaves like; that of the program when not given. */
  readonly emulationVersion?: string | undefined;
}

interface CandidacyParts {
  readonly client: ResourceClient;
  readonly namespace: string;
  /** Of the lease. */
  readonly leaseName: string;
  /** Of the candidate: the identity that the lease is to name. */
  readonly name: string;
  readonly versions: CandidateVersions;
  readonly onError: (error: unknown) => void;
}

/** Upstream's number; the server forgets who has been silent for half an hour. */
const RENEW_EVERY_MS = 300_000;
const RETRY_MS = { first: 1_000, max: 60_000 };

export class Candidacy {
  readonly #parts: CandidacyParts;
  readonly #candidates: Resource<LeaseCandidate>;
  readonly #informer: Informer<LeaseCandidate>;
  readonly #loop: BackgroundLoop;

  /** Announces itself at once. */
  constructor(parts: CandidacyParts) {
    this.#parts = parts;
    const { client, namespace, name, onError } = parts;
    this.#candidates = client.resource(kinds.coordination.v1beta1.leaseCandidates, namespace);
    this.#loop = new BackgroundLoop({
      clock: client.clock,
      reconcile: async (_, signal) => {
        await this.#renew(signal);
        return "done";
      },
      onError,
      everyMs: RENEW_EVERY_MS,
      retryMs: RETRY_MS,
    });
    this.#informer = client.informer(kinds.coordination.v1beta1.leaseCandidates, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      onError: () => undefined,
    });
    const ask = () => this.#loop.enqueue();
    const askIfAsked = ({ spec }: LeaseCandidate) => isAsked(spec) && ask();
    this.#informer.addHandlers({ added: askIfAsked, updated: askIfAsked, deleted: ask });
    this.#informer.start();
    ask();
  }

  /** Once more is the same. Gives up after `patienceMs`. */
  async withdraw(patienceMs: number): Promise<void> {
    if (this.#loop.closed) return;
    this.#loop.close();
    await this.#informer.stop();
    const { client, name, onError } = this.#parts;
    const signal = client.clock.timeoutSignal(patienceMs);
    try {
      // Not every candidate may delete itself: to have no sign of life is to be none.
      const withdrawn = ({ renewTime: _, ...spec }: LeaseCandidate["spec"]) => spec;
      await this.#candidates.modify(name, (found) => ({ ...found, spec: withdrawn(found.spec) }), { signal });
    } catch (error) {
      if (!isApiError(error, "NotFound")) onError(error);
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { client, leaseName, name, versions } = this.#parts;
    const { binaryVersion, emulationVersion = binaryVersion } = versions;
    const current = await this.#candidates.find(name, { signal });
    const askedMs = Date.parse(current?.spec.pingTime ?? "");
    const nowMs = client.clock.nowMs();
    const spec = {
      ...current?.spec,
      leaseName,
      binaryVersion,
      emulationVersion,
      strategy: OLDEST_EMULATION_VERSION,
      // An answer is later than the question, also where the server's clock is ahead.
      renewTime: timeOfMs(Number.isNaN(askedMs) ? nowMs : Math.max(nowMs, askedMs + 1), "micros"),
    };
    if (current === undefined) await this.#candidates.create({ metadata: { name }, spec }, { signal });
    else await this.#candidates.update({ ...current, spec }, { signal });
  }
}

const isAsked = ({ pingTime = "", renewTime = "" }: LeaseCandidate["spec"]): boolean =>
  Date.parse(pingTime) >= Date.parse(renewTime);
