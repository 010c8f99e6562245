// Who a CertificateSigningRequest asks for a certificate for.

import { type CertificateSubject, requestSubject } from "../base/certificate-subject.ts";
import { DerError } from "../base/der-reader.ts";

/** `request` is base64 of PEM, as objects carry it. Undefined when it cannot be read. */
export function subjectOfRequest(request: string): CertificateSubject | undefined {
  const pem = Buffer.from(request, "base64").toString("latin1");
  const body = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]*)-----END/.exec(pem)?.[1];
  if (body === undefined) return undefined;
  try {
    return requestSubject(Buffer.from(body, "base64"));
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}
