// The certificate that API servers behind this one are shown: from the flags, or made beside the other certificates.

import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { ReadFile, StartFiles } from "../base/start-files.ts";
import {
  generatedProxyCertificate,
  type KeyedCertificate,
  readKeyedCertificate,
  watchFiles,
} from "../http/certificates.ts";
import { followCertificate } from "../http/follow-certificate.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { certDirOf } from "./serving-certificate.ts";

interface ProxyIdentity {
  current(): KeyedCertificate;
  /** The authority that servers behind must trust, when it is ours. */
  readonly caPem: string | undefined;
  stop(): void;
}

export async function chooseProxyIdentity(
  options: ApiServerOptions,
  log: Log,
  startFiles: StartFiles,
  clock: Clock = systemClock,
): Promise<ProxyIdentity> {
  const { proxyClientCertFile, proxyClientKeyFile } = options;
  if (proxyClientCertFile === undefined || proxyClientKeyFile === undefined) {
    const make = () => generatedProxyCertificate(certDirOf(options));
    let made = await make();
    const renewal = followCertificate({ current: made, load: make, files: [], clock, log }, (next) => {
      made = next;
    });
    return { current: () => made, caPem: made.caPem, stop: () => renewal.stop() };
  }
  const load = (read: ReadFile) =>
    readKeyedCertificate(
      { flag: "--proxy-client-cert-file", file: proxyClientCertFile },
      {
        flag: "--proxy-client-key-file",
        file: proxyClientKeyFile,
      },
      read,
    );
  let current = await load(startFiles.read);
  const look = () => {
    startFiles.anew(load).then(
      (next) => {
        if (next.certificatePem === current.certificatePem) return;
        current = next;
        log.info({}, "servers behind are shown a new certificate");
      },
      // Two files cannot be replaced in one step: the next look may find a matching pair.
      (error: unknown) => log.warn({ err: error }, "the new proxy certificate cannot be used; the old one stays"),
    );
  };
  // They may have changed since they were read, by whoever did.
  look();
  const watch = watchFiles([proxyClientCertFile, proxyClientKeyFile], look);
  return { current: () => current, caPem: undefined, stop: () => watch.stop() };
}
