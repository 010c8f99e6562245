// Client certificates: the authorities that a handshake names and OpenSSL judges by, and what a client has shown.
//
// OpenSSL checks a chain as soon as it has arrived, before anybody here sees it; node has no limit for its length. So a
// client that sends much and proves nothing is not asked for a certificate again for a while: see docs/decisions.

import type { X509Certificate } from "node:crypto";
import type { Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../base/clock.ts";
import { oid, sequence } from "../base/der-writer.ts";
import { pem } from "../base/sign-certificate.ts";
import { HandshakeGuard } from "./handshake-guard.ts";
import type { ShownCertificate } from "./message.ts";

/** How many certificates of a chain are looked at. */
const MAX_CERTIFICATES = 8;
const CLIENT_USE = "1.3.6.1.5.5.7.3.2";

/** Node 24.21 and 26.8 among others look at the leaf of a chain as soon as the handshake is done, and lose the rest of it. */
const MAY_LOSE_CHAINS = Number.parseInt(process.versions.node, 10) >= 24;

/** Node reads this for each connection; it is not among its types. */
type AskingServer = Http2SecureServer & { requestCert?: boolean };

interface OpenConnection {
  readonly socket: Socket;
  /** Those in force when it was accepted. */
  readonly authorities: readonly X509Certificate[];
  /** With its issuers, where it has to be taken before Node looks at it. */
  leaf?: X509Certificate | undefined;
  isWatched?: boolean;
  /** Null when nothing was; undefined until somebody asks. */
  shown?: ShownCertificate | null;
}

export class ClientCertificates {
  #authorities: readonly X509Certificate[];
  readonly #guard: HandshakeGuard;
  /** By address and port: node hands requests a stand-in of their socket. */
  readonly #open = new Map<string, OpenConnection>();

  constructor(authorities: readonly X509Certificate[], clock: Clock) {
    this.#authorities = authorities;
    this.#guard = new HandshakeGuard(clock);
  }

  /** For new connections. */
  set authorities(authorities: readonly X509Certificate[]) {
    this.#authorities = authorities;
  }

  /** In the form that makes each of them the end of a chain, also where another authority stands above it. */
  get trustedPem(): string[] {
    return this.#authorities.map(trustedPem);
  }

  /** Before each handshake decides whether a certificate is asked for. */
  watch(server: AskingServer): void {
    server.prependListener("connection", (socket: Socket) => {
      const peer = peerOf(socket);
      const isAllowed = this.#guard.begin(socket);
      server.requestCert = isAllowed && this.#authorities.length > 0;
      this.#open.set(peer, { socket, authorities: this.#authorities });
      socket.once("close", () => {
        this.#guard.end(socket, true);
        // Another connection from the same port may have been accepted before the end of this one is told.
        if (this.#open.get(peer)?.socket === socket) this.#open.delete(peer);
      });
    });
    if (MAY_LOSE_CHAINS) server.on("keylog", (_line, tls) => this.#takeWhenSecure(tls));
    server.prependListener("secureConnection", (tls: TLSSocket) => {
      const connection = this.#open.get(peerOf(tls));
      if (connection === undefined) return;
      // Without a certificate there was nothing to check: what came so far beyond the handshake is a request.
      const wasInVain = !tls.authorized && this.shownOn(tls) !== undefined;
      this.#guard.end(connection.socket, wasInVain);
    });
  }

  /** Told of keys, several times in a handshake: nothing else tells of the connection before Node has looked at it. */
  #takeWhenSecure(tls: TLSSocket): void {
    const connection = this.#open.get(peerOf(tls));
    if (connection === undefined || connection.isWatched === true) return;
    connection.isWatched = true;
    tls.prependOnceListener("secure", () => {
      connection.leaf = tls.getPeerX509Certificate();
    });
  }

  /** For a client that does not speak TLS: nothing of it was checked. Gives the connection below, undefined once it is gone. */
  withoutHandshake(tls: TLSSocket): Socket | undefined {
    const socket = this.#open.get(peerOf(tls))?.socket;
    if (socket !== undefined) this.#guard.end(socket, false);
    return socket;
  }

  /** Undefined when the client has shown none. */
  shownOn(tls: TLSSocket): ShownCertificate | undefined {
    const connection = this.#open.get(peerOf(tls));
    if (connection === undefined) return undefined;
    // Node hands out the chain once: asked again, it only knows the leaf.
    if (connection.shown === undefined) connection.shown = shownCertificate(tls, connection) ?? null;
    return connection.shown ?? undefined;
  }
}

function shownCertificate(tls: TLSSocket, { authorities, ...taken }: OpenConnection): ShownCertificate | undefined {
  const leaf = taken.leaf ?? tls.getPeerX509Certificate();
  if (leaf === undefined) return undefined;
  const chain: X509Certificate[] = [];
  for (let next: X509Certificate | undefined = leaf; next !== undefined; next = next.issuerCertificate) {
    if (chain.length === MAX_CERTIFICATES) return { chain, problem: "CERT_CHAIN_TOO_LONG", authorities };
    chain.push(next);
  }
  return { chain, problem: tls.authorized ? undefined : String(tls.authorizationError), authorities };
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

function trustedPem({ raw }: X509Certificate): string {
  // What OpenSSL calls a trusted certificate: the uses that it is trusted for stand behind it.
  const der = Buffer.concat([raw, sequence(sequence(oid(CLIENT_USE)))]);
  return pem("TRUSTED CERTIFICATE", der);
}
