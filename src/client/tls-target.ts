// A server that is reached over TLS, how it is known, and what is shown to it: the same for call-outs and for clients.

import { isIP } from "node:net";
import { type ConnectionOptions, checkServerIdentity, createSecureContext, type SecureContext } from "node:tls";
import type { Egress } from "./callouts/egress.ts";
import { readHostRoots } from "./host-roots.ts";

/** A server, and how to know that it is the right one. */
export interface HttpsTarget {
  /** Where connections go. */
  readonly host: string;
  readonly port: number;
  /** The name that its certificate must have; the host when not given. */
  readonly serverName?: string;
  /** PEM: authorities, or the certificate of the server itself; the system's authorities when not given. */
  readonly authority?: string;
  /** Shown to the server when it asks. */
  readonly identity?: ClientIdentity;
  /** The way there; straight when not given. */
  readonly egress?: Egress;
  /** Any certificate is good. */
  readonly insecure?: boolean;
  /** It is called without TLS: whoever wrote down its address wants that. */
  readonly isPlain?: boolean;
  /** Made by the owner, instead of authority and identity. It stands for the target's settings: one owner, one context. */
  readonly secureContext?: SecureContext;
}

export interface ClientIdentity {
  readonly certificatePem: string;
  readonly keyPem: string;
}

const MIN_VERSION = "TLSv1.2" as const;

/**
 * Who is named is trusted, as upstream has it: certificates in the list need not be authorities. Test environments name the
 * server's own certificate.
 */
const trusting = (authority: string) => ({ ca: authority, allowPartialTrustChain: true });

/**
 * Made once for many connections. Fails when the texts are no certificates, or the key is not that of the certificate. Where
 * any certificate is good nobody is held against the system's authorities, and to read them takes longer than a request.
 */
export function secureContextOf(
  authority: string | undefined,
  identity: ClientIdentity | undefined,
  { insecure = false } = {},
): SecureContext {
  const ca = authority !== undefined ? undefined : insecure ? [] : hostRoots();
  return createSecureContext({
    minVersion: MIN_VERSION,
    ...(ca === undefined ? {} : { ca }),
    ...(authority === undefined ? {} : trusting(authority)),
    ...(identity === undefined ? {} : { cert: identity.certificatePem, key: identity.keyPem }),
  });
}

let roots: { readonly pem: string[] | undefined } | undefined;
let hostContext: SecureContext | undefined;

/** Read when first needed, and once: that takes some milliseconds. */
function hostRoots(): string[] | undefined {
  roots ??= { pem: readHostRoots(process.env) };
  return roots.pem;
}

/** Reading hundreds of authorities for each connection would take longer than the connection. */
function trustOf({ authority, identity, insecure, secureContext }: HttpsTarget): ConnectionOptions {
  if (secureContext !== undefined) return { secureContext };
  if (authority !== undefined || insecure === true) {
    return {
      ...(authority === undefined ? {} : trusting(authority)),
      ...(identity === undefined ? {} : { cert: identity.certificatePem, key: identity.keyPem }),
    };
  }
  if (identity !== undefined) return { secureContext: secureContextOf(undefined, identity) };
  return { secureContext: hostTrust() };
}

/** The authorities of this machine. */
export function hostTrust(): SecureContext {
  hostContext ??= secureContextOf(undefined, undefined);
  return hostContext;
}

/** How Node is told of it. */
export function tlsOptions(target: HttpsTarget) {
  const { host, serverName = host, insecure } = target;
  return {
    minVersion: MIN_VERSION,
    rejectUnauthorized: insecure !== true,
    ...nameCheck(serverName),
    ...trustOf(target),
  };
}

/** An address is no name to send; the certificate is held against it all the same. */
function nameCheck(serverName: string): Pick<ConnectionOptions, "servername" | "checkServerIdentity"> {
  if (isIP(serverName) === 0) return { servername: serverName };
  return { servername: "", checkServerIdentity: (_host, certificate) => checkServerIdentity(serverName, certificate) };
}
