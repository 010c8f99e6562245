// Whether the certificate of a server that is reached by its address is for that address.

import { X509Certificate } from "node:crypto";
import { isIPv6 } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";

/** What is wrong with it, as `checkServerIdentity` of Node tells. */
export function addressProblem(address: string, certificate: PeerCertificate): Error | undefined {
  const problem = checkServerIdentity(address, certificate);
  // Some versions of Node 22 hold no certificate to be for an address of IPv6.
  const isOverlooked = problem !== undefined && isIPv6(address) && isFor(address, certificate);
  return isOverlooked ? undefined : problem;
}

const isFor = (address: string, { raw }: PeerCertificate): boolean =>
  new X509Certificate(raw).checkIP(address) !== undefined;
