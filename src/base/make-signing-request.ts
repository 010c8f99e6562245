// Makes a request for a certificate (PKCS #10, RFC 2986) for a new key on the curve P-256.

import { generateKeyPair, sign } from "node:crypto";
import { isIP } from "node:net";
import { promisify } from "node:util";
import { bits, explicit, integer, oid, sequence, set } from "./der-writer.ts";
import { alternativeNames, encodeName, NAME_OID, pem, publicKeyInfoOf } from "./sign-certificate.ts";

export interface WantedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DNS names and IP addresses. */
  readonly names?: readonly string[];
}

/** Both in PEM. */
interface SigningRequestWithKey {
  readonly requestPem: string;
  readonly keyPem: string;
}

const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const newKeyPair = promisify(generateKeyPair);

export async function makeSigningRequest(wanted: WantedCertificate): Promise<SigningRequestWithKey> {
  const { privateKey } = await newKeyPair("ec", { namedCurve: "P-256" });
  const { commonName, organizations, names = [] } = wanted;
  const subject = encodeName([
    ...organizations.map((organization) => [NAME_OID.organization, organization] as const),
    [NAME_OID.commonName, commonName] as const,
  ]);
  const alternative = alternativeNames({
    dnsNames: names.filter((name) => isIP(name) === 0),
    ipAddresses: names.filter((name) => isIP(name) !== 0),
  });
  const wishes = alternative === undefined ? [] : [sequence(oid(EXTENSION_REQUEST), set(sequence(alternative)))];
  const info = sequence(integer(0), subject, publicKeyInfoOf(privateKey), explicit(0, ...wishes));
  const signature = bits(sign("sha256", info, privateKey));
  return {
    requestPem: pem("CERTIFICATE REQUEST", sequence(info, sequence(oid(ECDSA_WITH_SHA256)), signature)),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
