// The certificate that the flags choose, and its renewal while the server runs.

import type { ApiServerOptions } from "../apiserver/options/api-server-options.ts";
import type { Log } from "../base/log.ts";
import {
  generatedServingCertificate,
  machineNames,
  readServingCertificate,
  type ServingCertificate,
} from "../http/certificates.ts";
import type { ListenerTls } from "../http/listener.ts";
import { formatIp, ipFromNumber, ipToNumber, maskCidr, parseCidr } from "../meta/ip.ts";
import type { Names } from "../meta/names.ts";
import { certDirOf } from "./run-server.ts";

export interface ChosenCertificate {
  readonly tls: ListenerTls;
  readonly caPem: string | undefined;
  stop(): void;
}

export async function servingCertificate(
  options: ApiServerOptions,
  names: Names,
  _log: Log,
): Promise<ChosenCertificate> {
  const load = (): Promise<ServingCertificate> =>
    options.tlsCertFile !== undefined && options.tlsPrivateKeyFile !== undefined
      ? readServingCertificate(options.tlsCertFile, options.tlsPrivateKeyFile)
      : generatedServingCertificate(certDirOf(options), certificateNames(options, names));
  const certificate = await load();
  return {
    tls: {
      certificatePem: certificate.certificatePem,
      keyPem: certificate.keyPem,
      minVersion: options.tlsMinVersion === "VersionTLS13" ? "TLSv1.3" : "TLSv1.2",
      ...(options.tlsCipherSuites.length === 0 ? {} : { ciphers: options.tlsCipherSuites.join(":") }),
    },
    caPem: certificate.caPem,
    stop: () => undefined,
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
export function firstServiceIps(ranges: readonly string[]): string[] {
  return ranges.flatMap((range) => {
    const cidr = parseCidr(range);
    if (cidr === undefined) return [];
    const network = maskCidr(cidr).ip;
    return [formatIp(ipFromNumber(ipToNumber(network) + 1n, network.family))];
  });
}
