// The OpenID discovery document and the key set of the service account issuer, for those who verify tokens elsewhere.
// Requirements: document 2, "Methods".

import type { VerificationKey } from "../../base/signing-keys.ts";
import type { Response } from "../../http/message.ts";

const DISCOVERY_PATH = "/.well-known/openid-configuration";
export const KEYS_PATH = "/openid/v1/jwks";

const MAX_AGE_SECONDS = 3600;

interface IssuerDocumentOptions {
  readonly issuer: string;
  /** Where the key set is found; this server's own when not given. */
  readonly keysUrl: string | undefined;
  readonly keys: () => readonly VerificationKey[];
}

/** The answer to one of the two paths, on a server of this address; undefined for others, and when the issuer is no place. */
export function issuerDocuments(
  options: IssuerDocumentOptions,
): (path: string, serverAddress: string) => Response | undefined {
  const { issuer, keys } = options;
  if (!issuer.startsWith("https://") || /[?#]/.test(issuer)) return () => undefined;
  let keySet: Response | undefined;
  return (path, serverAddress) => {
    if (path === KEYS_PATH) {
      keySet ??= answer("application/jwk-set+json", { keys: keys().map(toJwk) });
      return keySet;
    }
    if (path !== DISCOVERY_PATH) return undefined;
    return answer("application/json", {
      issuer,
      jwks_uri: options.keysUrl ?? `https://${serverAddress}${KEYS_PATH}`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [...new Set(keys().map(({ algorithm }) => algorithm))].sort(),
    });
  };
}

function toJwk({ id, key, algorithm }: VerificationKey): Record<string, unknown> {
  const { kty, ...parameters } = key.export({ format: "jwk" });
  return { use: "sig", kty, kid: id, alg: algorithm, ...parameters };
}

function answer(contentType: string, body: unknown): Response {
  return {
    status: 200,
    headers: { "content-type": contentType, "cache-control": `public, max-age=${MAX_AGE_SECONDS}` },
    body: Buffer.from(JSON.stringify(body)),
  };
}
