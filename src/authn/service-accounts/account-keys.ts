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
  readonly signingKey: () => SigningKey;
  /** Whose tokens are accepted; the signing key among them. */
  readonly keys: () => readonly VerificationKey[];
  /** The first one signs. */
  readonly issuers: readonly string[];
  /** The audiences of this server. */
  readonly audiences: readonly string[];
}

/** The keys of one process for others that serve as one with it, in PEM. */
export interface SharedAccountKeys {
  readonly signingKeyPem: string;
  readonly keysPem: string;
}

interface KeySource {
  /** The key that the server has made for itself, where no flag names one. */
  readonly signingKeyFile?: string;
  /** Instead of all files, which may have changed since they were read. */
  readonly sharedKeys?: SharedAccountKeys;
}

/** Fails with StartError. */
export function readAccountKeys(names: Names, options: ApiServerOptions, source: KeySource): AccountKeys {
  const { signingKeyFile, sharedKeys } = source;
  const issuers = options.serviceAccountIssuer.length > 0 ? options.serviceAccountIssuer : [defaultIssuer(names)];
  return {
    ...(sharedKeys === undefined ? keysOfFiles(options, signingKeyFile) : keysOfOthers(sharedKeys)),
    issuers,
    audiences: options.apiAudiences.length > 0 ? options.apiAudiences : issuers,
  };
}

export function sharedAccountKeys({ signingKey, keys }: AccountKeys): SharedAccountKeys {
  return {
    signingKeyPem: signingKey().privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    keysPem: keys()
      .map(({ key }) => key.export({ type: "spki", format: "pem" }).toString())
      .join(""),
  };
}

type Keys = Pick<AccountKeys, "signingKey" | "keys">;

function keysOfOthers({ signingKeyPem, keysPem }: SharedAccountKeys): Keys {
  const [signingKey, keys] = [parseSigningKey(signingKeyPem), parseVerificationKeys(keysPem)];
  return { signingKey: () => signingKey, keys: () => keys };
}

function keysOfFiles(options: ApiServerOptions, signingKeyFile: string | undefined): Keys {
  const file = options.serviceAccountSigningKeyFile ?? signingKeyFile;
  const given = options.serviceAccountKeyFile.flatMap((path) =>
    readFlagFile("service-account-key-file", path, parseVerificationKeys),
  );
  const others = given.length > 0 ? given : servingKey(options);
  let own = file === undefined ? undefined : readFlagFile("service-account-signing-key-file", file, parseSigningKey);
  let keys: readonly VerificationKey[] | undefined;
  // A temporary one is made for the first token.
  const signingKey = () => {
    own ??= temporarySigningKey();
    return own;
  };
  return {
    signingKey,
    keys() {
      keys ??= distinctKeys([publicHalf(signingKey()), ...others]);
      return keys;
    },
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
