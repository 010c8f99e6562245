// Requests for certificates (PKCS #10), for tests that need real ones.

import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { bits, explicit, integer, oid, sequence, set } from "./der-writer.ts";
import { type AlternativeNames, alternativeNames, encodeName, pem, publicKeyInfoOf } from "./sign-certificate.ts";

export interface TestRequest extends AlternativeNames {
  readonly subject?: readonly (readonly [type: string, value: string])[];
  readonly key?: KeyObject;
  /** Signs in place of the key. */
  readonly signer?: KeyObject;
}

export function testSigningRequest(request: TestRequest = {}): { pem: string; key: KeyObject } {
  const key = request.key ?? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const names = alternativeNames(request);
  const wanted = names === undefined ? [] : [sequence(oid("1.2.840.113549.1.9.14"), set(sequence(names)))];
  const info = sequence(integer(0), encodeName(request.subject ?? []), publicKeyInfoOf(key), explicit(0, ...wanted));
  const isRsa = key.asymmetricKeyType === "rsa";
  const algorithm = sequence(oid(isRsa ? "1.2.840.113549.1.1.11" : "1.2.840.10045.4.3.2"));
  const signature = bits(sign("sha256", info, request.signer ?? key));
  return { pem: pem("CERTIFICATE REQUEST", sequence(info, algorithm, signature)), key };
}
