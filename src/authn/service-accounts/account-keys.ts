// The keys and names of the service account issuer, as the flags say. Requirements: document 2, "Methods".

import {
  distinctKeys,
  parseSigningKey,
  parseVerificationKeys,
  type SigningKey,
  temporarySigningKey,
  type VerificationKey,
} from "../../base/signing-keys.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiServerOptions } from "../../options/api-server-options.ts";
import { readFlagFile } from "../flag-file.ts";

export interface AccountKeys {
  readonly signingKey: SigningKey;
  /** Whose tokens are accepted; the signing key among them. */
  readonly keys: readonly VerificationKey[];
  /** The first one signs. */
  readonly issuers: readonly string[];
  /** The audiences of this server. */
  readonly audiences: readonly string[];
}

/** `signingKeyFile`: the key that the server has made for itself, where no flag names one. Fails with StartError. */
export function readAccountKeys(names: Names, options: ApiServerOptions, signingKeyFile?: string): AccountKeys {
  const file = options.serviceAccountSigningKeyFile ?? signingKeyFile;
  const signingKey =
    file === undefined
      ? temporarySigningKey()
      : readFlagFile("service-account-signing-key-file", file, parseSigningKey);
  const given = options.serviceAccountKeyFile.flatMap((path) =>
    readFlagFile("service-account-key-file", path, parseVerificationKeys),
  );
  const issuers = options.serviceAccountIssuer.length > 0 ? options.serviceAccountIssuer : [defaultIssuer(names)];
  return {
    signingKey,
    keys: distinctKeys([publicHalf(signingKey), ...(given.length > 0 ? given : servingKey(options))]),
    issuers,
    audiences: options.apiAudiences.length > 0 ? options.apiAudiences : issuers,
  };
}

const defaultIssuer = (names: Names): string => `https://${names.apiService}.default.svc.cluster.local`;

const publicHalf = ({ id, key, algorithm }: SigningKey): VerificationKey => ({ id, key, algorithm });

/** Tokens may be signed with the serving key, where no other key is named. */
function servingKey(options: ApiServerOptions): VerificationKey[] {
  if (options.tlsPrivateKeyFile === undefined) return [];
  try {
    return readFlagFile("tls-private-key-file", options.tlsPrivateKeyFile, parseVerificationKeys);
  } catch {
    // A serving key of a type that cannot sign tokens is fine for serving.
    return [];
  }
}
