// What a server does about a certificate that may be replaced while it runs: it looks again, and shows the new one.

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type KeyedCertificate, watchFiles } from "./certificates.ts";

/** How often a certificate that is not in somebody else's files is looked at. */
const LOOK_MS = 12 * 3_600_000;

interface CertificateSource<C extends KeyedCertificate> {
  readonly current: C;
  readonly load: () => Promise<C>;
  /** Changes of these are seen within seconds; without any, load() itself renews what ends soon. */
  readonly files: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Hands on every certificate that replaces the current one. */
export function followCertificate<C extends KeyedCertificate>(
  { current, load, files, clock, log }: CertificateSource<C>,
  apply: (certificate: C) => void | Promise<void>,
): { stop(): void } {
  let shown = current.certificatePem;
  const look = async () => {
    try {
      const next = await load();
      if (next.certificatePem === shown) return;
      await apply(next);
      shown = next.certificatePem;
      log.info({}, "a certificate was replaced by a new one");
    } catch (error) {
      // Two files cannot be replaced in one step: the next look may find a matching pair.
      log.warn({ err: error }, "the new certificate cannot be used; the old one stays");
    }
  };
  if (files.length > 0) {
    // They may have changed since they were read, by whoever did.
    void look();
    return watchFiles(files, () => void look());
  }
  const timer = clock.every(LOOK_MS, () => void look());
  return { stop: () => timer.cancel() };
}
