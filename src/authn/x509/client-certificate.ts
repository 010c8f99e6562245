// Client certificates: the common name is the user, each organization a group. Requirements: document 2, "Methods".

import type { Names } from "../../meta/names.ts";
import type { Authentication, Authenticator } from "../authenticator.ts";
import { NO_CREDENTIALS } from "../authenticator.ts";
import type { CertificateAuthorities, VerifiedClient } from "./certificate-authorities.ts";

interface ClientCertificateOptions {
  /** The subject may name the uid: the gate AllowParsingUserUIDFromCertAuth. */
  readonly withUid: boolean;
  /** Learns of every request with a certificate. */
  readonly onShown?: (expiresAtMs: number) => void;
}

export function clientCertificates(
  names: Names,
  authorities: CertificateAuthorities,
  options: ClientCertificateOptions,
): Authenticator {
  const outcomes = new WeakMap<VerifiedClient, Authentication>();
  return {
    authenticate(request) {
      const client = authorities.verify(request);
      if (client === undefined) return NO_CREDENTIALS;
      options.onShown?.(client.expiresAtMs);
      let outcome = outcomes.get(client);
      if (outcome === undefined) {
        outcome = judge(names, client, options);
        outcomes.set(client, outcome);
      }
      return outcome;
    },
  };
}

function judge(names: Names, client: VerifiedClient, { withUid }: ClientCertificateOptions): Authentication {
  if (!client.trusted) return { result: "refused", error: client.problem };
  const { commonNames, organizations, uids } = client.subject;
  // The last one counts, as for every client in use.
  const commonName = commonNames.at(-1) ?? "";
  if (commonName === "") return NO_CREDENTIALS;
  if (withUid && uids.length > 1) return { result: "refused", error: "the certificate has more than one uid" };
  const uid = withUid ? uids[0] : undefined;
  if (uid === "") return { result: "refused", error: "the certificate has an empty uid" };
  return {
    result: "user",
    user: {
      name: commonName,
      groups: organizations,
      ...(uid === undefined ? {} : { uid }),
      extra: { [names.credentialIdExtra]: [`X509SHA256=${client.fingerprint}`] },
    },
  };
}
