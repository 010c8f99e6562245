// A PKCS #10 certificate request, for tests that need a real one.

import { type KeyObject, sign } from "node:crypto";
import { bits, explicit, integer, oid, sequence, set, utf8 } from "../../src/base/der-writer.ts";

const COMMON_NAME = "2.5.4.3";
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";

export function certificateRequestPem(commonName: string, publicKey: KeyObject, privateKey: KeyObject): string {
  const subject = sequence(set(sequence(oid(COMMON_NAME), utf8(commonName))));
  const info = sequence(integer(0), subject, publicKey.export({ type: "spki", format: "der" }), explicit(0));
  const request = sequence(info, sequence(oid(ECDSA_WITH_SHA256)), bits(sign("sha256", info, privateKey)));
  const lines = request.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join("\n")}\n-----END CERTIFICATE REQUEST-----\n`;
}
