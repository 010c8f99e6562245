// An authority of users that is also one of authenticating proxies makes every user a proxy, which may be anybody.
// Requirements: document 2, "Authenticating proxy".

import type { X509Certificate } from "node:crypto";

/** Fails with a text when only names could tell users from proxies, and none are given. */
export function checkApart(
  some: readonly X509Certificate[],
  others: readonly X509Certificate[],
  allowedNames: readonly string[],
): void {
  if (allowedNames.length > 0) return;
  const known = new Set(others.map(identity));
  if (!some.some((certificate) => known.has(identity(certificate)))) return;
  throw new Error(
    "--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users",
  );
}

/** Who signs, under which name: a renewed certificate of an authority vouches for the same clients. */
const identity = ({ subject, publicKey }: X509Certificate): string =>
  `${publicKey.export({ type: "spki", format: "der" }).toString("base64")} ${subject}`;
