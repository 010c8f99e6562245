// The certificate that API servers behind this one are shown: from the flags, or made beside the other certificates.

import type { Log } from "../base/log.ts";
import type { ReadFile, StartFiles } from "../base/start-files.ts";
import {
  generatedProxyCertificate,
  type KeyedCertificate,
  readKeyedCertificate,
  watchFiles,
} from "../http/certificates.ts";
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
): Promise<ProxyIdentity> {
  const { proxyClientCertFile, proxyClientKeyFile } = options;
  if (proxyClientCertFile === undefined || proxyClientKeyFile === undefined) {
    const { caPem, ...made } = await generatedProxyCertificate(certDirOf(options));
    return { current: () => made, caPem, stop: () => undefined };
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
