// The certificate that the agents of nodes are shown, and the authorities of theirs: from the flags, read again on changes.

import { equalJson } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { StartError } from "../base/start-error.ts";
import type { ReadFile, StartFiles } from "../base/start-files.ts";
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
export async function followNodeAgentTrust(
  options: ApiServerOptions,
  log: Log,
  startFiles: StartFiles,
): Promise<FollowedTrust> {
  const files = [
    options.kubeletClientCertificate,
    options.kubeletClientKey,
    options.kubeletCertificateAuthority,
  ].filter((file) => file !== undefined);
  const loadAll = (read: ReadFile) => load(options, read);
  let current = await loadAll(startFiles.read);
  if (files.length === 0) return { current: () => current, stop: () => undefined };
  const look = () => {
    startFiles.anew(loadAll).then(
      (next) => {
        if (equalJson(next, current)) return;
        current = next;
        log.info({}, "the agents of nodes are known by new certificates");
      },
      // Files cannot be replaced in one step: the next look may find those that belong together.
      (error: unknown) => log.warn({ err: error }, "the new certificates for node agents cannot be used; the old stay"),
    );
  };
  // They may have changed since they were read, by whoever did.
  look();
  const watch = watchFiles(files, look);
  return { current: () => current, stop: () => watch.stop() };
}

async function load(options: ApiServerOptions, read: ReadFile): Promise<NodeAgentTrust> {
  const { kubeletClientCertificate, kubeletClientKey, kubeletCertificateAuthority } = options;
  const identity =
    kubeletClientCertificate === undefined || kubeletClientKey === undefined
      ? undefined
      : await readKeyedCertificate(
          { flag: "--kubelet-client-certificate", file: kubeletClientCertificate },
          { flag: "--kubelet-client-key", file: kubeletClientKey },
          read,
        );
  return { identity, authority: kubeletCertificateAuthority && readAuthority(kubeletCertificateAuthority, read) };
}

function readAuthority(file: string, read: ReadFile): string {
  const flag = "--kubelet-certificate-authority";
  let pem: string;
  try {
    pem = read(file).toString("utf8");
  } catch (error) {
    throw new StartError(`${flag}: ${(error as Error).message}`);
  }
  if (!pem.includes("-----BEGIN CERTIFICATE-----"))
    throw new StartError(`${flag} ${file}: there is no PEM block of type CERTIFICATE in it`);
  return pem;
}
