// What a client shows to say who it is, and where that comes from.

import type { ClientIdentity } from "../tls-target.ts";

export interface Credentials {
  /** The value of the Authorization header. */
  readonly authorization?: string | undefined;
  /** Shown in the TLS handshake: another one needs another connection. */
  readonly identity?: ClientIdentity | undefined;
}

export interface CredentialSource {
  /** What to show now; the same object while nothing changes. Fails with CredentialError, or with the signal's reason. */
  current(signal?: AbortSignal): Promise<Credentials>;
  /** These were answered with 401: whatever they were read from is looked at again, if they are still the current ones. */
  refused(credentials: Credentials): void;
  close(): void;
}

/** Why there are no credentials: names the user and what was tried. */
export class CredentialError extends Error {}

export function sameIdentity(a: ClientIdentity | undefined, b: ClientIdentity | undefined): boolean {
  return a === b || (a?.certificatePem === b?.certificatePem && a?.keyPem === b?.keyPem);
}

export function sameCredentials(a: Credentials, b: Credentials): boolean {
  return a.authorization === b.authorization && sameIdentity(a.identity, b.identity);
}
