// The certificate that the agents of nodes are shown, and the authorities of theirs: from the flags, read again on changes.

import type { Log } from "../base/log.ts";
import { readSmallFile } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";
import { type KeyedCertificate, readKeyedCertificate, watchFiles } from "../http/certificates.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";

interface NodeAgentTrust {
  readonly identity: KeyedCertificate | undefined;
  /** PEM. */
  readonly authority: string | undefined;
}

interface FollowedTrust {
  current(): NodeAgentTrust;
  stop(): void;
}

/** Fails with StartError. */
export async function followNodeAgentTrust(options: ApiServerOptions, log: Log): Promise<FollowedTrust> {
  const files = [
    options.kubeletClientCertificate,
    options.kubeletClientKey,
    options.kubeletCertificateAuthority,
  ].filter((file) => file !== undefined);
  let current = await load(options);
  if (files.length === 0) return { current: () => current, stop: () => undefined };
  const watch = watchFiles(files, () => {
    load(options).then(
      (next) => {
        current = next;
        log.info({}, "the agents of nodes are known by new certificates");
      },
      // Files cannot be replaced in one step: the next look may find those that belong together.
      (error: unknown) => log.warn({ err: error }, "the new certificates for node agents cannot be used; the old stay"),
    );
  });
  return { current: () => current, stop: () => watch.stop() };
}

async function load(options: ApiServerOptions): Promise<NodeAgentTrust> {
  const { kubeletClientCertificate, kubeletClientKey, kubeletCertificateAuthority } = options;
  const identity =
    kubeletClientCertificate === undefined || kubeletClientKey === undefined
      ? undefined
      : await readKeyedCertificate(
          { flag: "--kubelet-client-certificate", file: kubeletClientCertificate },
          { flag: "--kubelet-client-key", file: kubeletClientKey },
        );
  return { identity, authority: kubeletCertificateAuthority && (await readAuthority(kubeletCertificateAuthority)) };
}

async function readAuthority(file: string): Promise<string> {
  const flag = "--kubelet-certificate-authority";
  const pem = await readSmallFile(file).then(String, (error: Error) => {
    throw new StartError(`${flag}: ${error.message}`);
  });
  if (!pem.includes("-----BEGIN CERTIFICATE-----"))
    throw new StartError(`${flag} ${file}: there is no PEM block of type CERTIFICATE in it`);
  return pem;
}
