// A server that is reached over TLS, how it is known, and what is shown to it: the same for call-outs and for clients.

import { isIP } from "node:net";
import { type ConnectionOptions, createSecureContext, type SecureContext } from "node:tls";
import { hasParsedNodeAuthorities, nodeAuthoritiesParsed } from "../base/node-authorities.ts";
import { addressProblem } from "../base/server-identity.ts";
import { atOnce, inTurns, type Steps } from "../base/steps.ts";
import type { Egress } from "./callouts/egress.ts";
import { readHostRoots } from "./host-roots.ts";

export interface TlsServer {
  /** Where connections go. */
  readonly host: string;
  readonly port: number;
  /** The name that its certificate must have; the host when not given. */
  readonly serverName?: string;
  /** Any certificate is good. */
  readonly insecure?: boolean;
}

/** A server, and how to know that it is the right one. */
export interface HttpsTarget extends TlsServer {
  /** PEM: authorities, or the certificate of the server itself; the system's authorities when not given. */
  readonly authority?: string | undefined;
  /** Shown to the server when it asks. */
  readonly identity?: ClientIdentity | undefined;
  /** The way there; straight when not given. */
  readonly egress?: Egress;
  /** It is called without TLS: whoever wrote down its address wants that. */
  readonly isPlain?: boolean;
}

export interface ClientIdentity {
  readonly certificatePem: string;
  readonly keyPem: string;
}

const MIN_VERSION = "TLSv1.2" as const;

/** Whom connections trust, and what they show. */
type Trust = Pick<HttpsTarget, "authority" | "identity" | "insecure">;

/** Made once for many connections. Fails when the key is not that of the certificate, or either is none. */
export function secureContextOf(trust: Trust): SecureContext {
  const context = atOnce(contextInSteps(trust));
  if (trust.insecure !== true) hasParsedNodeAuthorities();
  return context;
}

/** The same for those who serve others meanwhile. */
export async function secureContextInTurns(trust: Trust): Promise<SecureContext> {
  if (trust.insecure !== true) await nodeAuthoritiesParsed();
  return inTurns(contextInSteps(trust));
}

let hostContext: Promise<SecureContext> | undefined;

/** The authorities of this machine, read once. */
export function hostTrust(): Promise<SecureContext> {
  hostContext ??= secureContextInTurns({});
  return hostContext;
}

/** To parse one certificate takes a quarter of a millisecond. Node itself is handed all of them at once, or none. */
function* contextInSteps({ authority, identity, insecure }: Trust): Steps<SecureContext> {
  // Where any certificate is good nobody is held against authorities.
  const trusted = insecure === true ? [] : authority === undefined ? yield* hostRoots() : certificatesIn(authority);
  const secureContext = createSecureContext({
    minVersion: MIN_VERSION,
    ...(trusted === undefined ? {} : { ca: [] }),
    // Who is named is trusted, as upstream has it: certificates in the list need not be authorities. Test environments name
    // the server's own certificate.
    ...(authority === undefined || insecure === true ? {} : { allowPartialTrustChain: true }),
    ...(identity === undefined ? {} : { cert: identity.certificatePem, key: identity.keyPem }),
  });
  const { context } = secureContext as { readonly context: { addCACert(pem: string): void } };
  for (const pem of trusted ?? []) {
    yield;
    context.addCACert(pem);
  }
  return secureContext;
}

/** Its blocks of PEM. */
export const certificatesIn = (authority: string): readonly string[] =>
  authority.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];

let roots: { readonly pem: readonly string[] | undefined } | undefined;

function* hostRoots(): Steps<readonly string[] | undefined> {
  roots ??= { pem: yield* readHostRoots(process.env) };
  return roots.pem;
}

/** How Node is told of it. */
export function tlsOptions({ host, serverName = host, insecure }: TlsServer, secureContext: SecureContext) {
  return { rejectUnauthorized: insecure !== true, ...nameCheck(serverName), secureContext };
}

/** An address is no name to send; the certificate is held against it all the same. */
function nameCheck(serverName: string): Pick<ConnectionOptions, "servername" | "checkServerIdentity"> {
  if (isIP(serverName) === 0) return { servername: serverName };
  return { servername: "", checkServerIdentity: (_host, certificate) => addressProblem(serverName, certificate) };
}
