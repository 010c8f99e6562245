// Which authorities may have stood at the end of the chain that OpenSSL found: node tells that there is one, not which.
// See docs/decisions/client-certificates.md.

import type { X509Certificate } from "node:crypto";
import { isCostlyKey } from "../../base/costly-key.ts";

/** Certificates of one name must not hold everybody up. */
const MAX_SIGNATURE_CHECKS = 32;

/**
 * Every one of `authorities` that signatures lead to from the first of `shown`. OpenSSL's chain ends in one of them: it
 * follows the same signatures, and only demands more of each step. Fails with a text when there is too much to look at.
 */
export function possibleRoots(
  shown: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
): Set<X509Certificate> | string {
  if (shown.some(({ publicKey }) => isCostlyKey(publicKey)))
    return "a certificate of the chain has a key that is too large";
  const roots = new Set<X509Certificate>();
  const ahead = shown.slice(0, 1);
  const seen = new Set(ahead);
  let checks = 0;
  const isSignedBy = (child: X509Certificate, issuer: X509Certificate): boolean => {
    if (!child.checkIssued(issuer)) return false;
    checks += 1;
    return checks <= MAX_SIGNATURE_CHECKS && child.verify(issuer.publicKey);
  };
  for (let child = ahead.pop(); child !== undefined; child = ahead.pop()) {
    for (const root of authorities) {
      if (root.raw.equals(child.raw) || isSignedBy(child, root)) roots.add(root);
    }
    for (const middle of shown) {
      if (seen.has(middle) || !isSignedBy(child, middle)) continue;
      seen.add(middle);
      ahead.push(middle);
    }
  }
  return checks > MAX_SIGNATURE_CHECKS ? "there are too many ways from the certificate to an authority" : roots;
}
