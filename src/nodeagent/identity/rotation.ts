// Renews a certificate when most of its life is over: at a moment between 70 and 90 percent, so that the nodes of a cluster do
// not all ask at once.

import { X509Certificate } from "node:crypto";
import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { KeyedCertificate } from "../../http/certificates.ts";

interface RotationOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Undefined: one is asked for at once. */
  readonly current: KeyedCertificate | undefined;
  readonly request: (signal: AbortSignal) => Promise<KeyedCertificate>;
  /** The new one, before the next is thought of. */
  readonly apply: (certificate: KeyedCertificate) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

const RETRY_MS = { first: 2_000, max: 128_000 };
/** A signer whose certificates have run out already is not asked without end. */
const LEAST_PAUSE_MS = 60_000;
const EARLIEST_SHARE = 0.7;
const SPREAD_SHARE = 0.2;

/** How long until a certificate should be renewed; 0 when it is time. Pure: `chance` is between 0 and 1. */
export function msUntilRenewal(certificatePem: string, nowMs: number, chance: number): number {
  const { validFrom, validTo } = new X509Certificate(certificatePem);
  const [fromMs, toMs] = [Date.parse(validFrom), Date.parse(validTo)];
  return Math.max(0, fromMs + (toMs - fromMs) * (EARLIEST_SHARE + SPREAD_SHARE * chance) - nowMs);
}

export class CertificateRotation {
  readonly #loop: BackgroundLoop;

  constructor({ clock, random, current, request, apply, onError }: RotationOptions) {
    this.#loop = new BackgroundLoop({
      clock,
      retryMs: RETRY_MS,
      onError,
      reconcile: async (_key, signal) => {
        const next = await request(signal);
        await apply(next);
        return { againInMs: Math.max(LEAST_PAUSE_MS, msUntilRenewal(next.certificatePem, clock.nowMs(), random())) };
      },
    });
    const inMs = current === undefined ? 0 : msUntilRenewal(current.certificatePem, clock.nowMs(), random());
    this.#loop.enqueue("", inMs);
  }

  stop(): void {
    this.#loop.close();
  }
}
