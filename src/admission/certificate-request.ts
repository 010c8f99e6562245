// Who a CertificateSigningRequest asks for a certificate for.

import { type CertificateSubject, requestSubject } from "../base/certificate-subject.ts";
import { DerError } from "../base/der-reader.ts";
import { requestBytes } from "../base/signing-request.ts";

/** `request` is base64 of PEM, as objects carry it. Undefined when it cannot be read. */
export function subjectOfRequest(request: string): CertificateSubject | undefined {
  const pem = Buffer.from(request, "base64").toString("latin1");
  try {
    return requestSubject(requestBytes(pem));
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}
