// The certificate that the flags choose, and its renewal while the server runs.

import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type ReadFile, StartFiles } from "../base/start-files.ts";
import {
  generatedServingCertificate,
  machineNames,
  readServingCertificate,
  type ServingCertificate,
} from "../http/certificates.ts";
import { followCertificate } from "../http/follow-certificate.ts";
import type { ListenerTls } from "../http/listener.ts";
import { formatIp, ipFromNumber, ipToNumber, maskCidr, parseCidr } from "../meta/ip.ts";
import type { Names } from "../meta/names.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";

interface ChosenCertificate {
  readonly tls: ListenerTls;
  /** The authority that clients must trust, when the certificate is generated. */
  readonly caPem: string | undefined;
  /** Hands on a certificate that has replaced this one: files that changed, or a generated one near its end. */
  follow(apply: (tls: ListenerTls) => void): { stop(): void };
}

export async function chooseCertificate(deps: {
  readonly options: ApiServerOptions;
  readonly names: Names;
  readonly log: Log;
  readonly startFiles?: StartFiles;
}): Promise<ChosenCertificate> {
  const { options, names, log, startFiles = new StartFiles() } = deps;
  const { tlsCertFile, tlsPrivateKeyFile } = options;
  const files = [tlsCertFile, tlsPrivateKeyFile].filter((file) => file !== undefined);
  const load = (read: ReadFile): Promise<ServingCertificate> =>
    tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined
      ? readServingCertificate(tlsCertFile, tlsPrivateKeyFile, read)
      : generatedServingCertificate(certDirOf(options), certificateNames(options, names));
  const asTls = ({ certificatePem, keyPem }: ServingCertificate): ListenerTls => ({
    certificatePem,
    keyPem,
    minVersion: options.tlsMinVersion === "VersionTLS13" ? "TLSv1.3" : "TLSv1.2",
    ...(options.tlsCipherSuites.length === 0 ? {} : { ciphers: options.tlsCipherSuites.join(":") }),
  });
  const first = await load(startFiles.read);
  return {
    tls: asTls(first),
    caPem: first.caPem,
    follow: (apply) =>
      followCertificate({ current: first, load: () => startFiles.anew(load), files, clock: systemClock, log }, (next) =>
        apply(asTls(next)),
      ),
  };
}

/** Every name under which clients inside and outside reach the server. */
export function certificateNames(options: ApiServerOptions, names: Names): string[] {
  const service = names.apiService;
  const inside = [service, `${service}.default`, `${service}.default.svc`, `${service}.default.svc.cluster.local`];
  const given = [options.advertiseAddress, options.externalHostname].filter((name) => name !== undefined);
  return [
    ...new Set([
      ...machineNames(options.bindAddress),
      ...given,
      ...inside,
      ...firstServiceIps(options.serviceClusterIpRange),
    ]),
  ];
}

/** The address of the API's own Service: the first of each network. */
function firstServiceIps(ranges: readonly string[]): string[] {
  return ranges.flatMap((range) => {
    const cidr = parseCidr(range);
    if (cidr === undefined) return [];
    const network = maskCidr(cidr).ip;
    return [formatIp(ipFromNumber(ipToNumber(network) + 1n, network.family))];
  });
}

/** The folder of generated keys and certificates. */
export function certDirOf(options: Pick<ApiServerOptions, "certDir" | "dataDir">): string {
  return options.certDir ?? join(options.dataDir, "pki");
}
