// For tests: the one TLS server on loopback that plays whom we call: webhooks, issuers, other API servers.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { issueCertificate, type KeyedCertificate } from "./pki/issue-certificate.ts";

const DAY_MS = 86_400_000;

interface TlsServerOptions {
  /** Of its certificate, which signs itself. */
  readonly names?: readonly string[];
  /** Shown instead of one that signs itself. */
  readonly certificate?: KeyedCertificate;
  /** Clients are asked for a certificate, and need not have one. */
  readonly requestCert?: boolean;
}

export interface TlsServer {
  readonly server: Server;
  readonly port: number;
  /** Base64 of PEM, as configurations carry it. */
  readonly caBundle: string;
  close(): Promise<void>;
}

export async function startTlsServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { names = ["127.0.0.1", "localhost"], certificate, requestCert = false }: TlsServerOptions = {},
): Promise<TlsServer> {
  const { certificatePem, keyPem } = certificate ?? (await selfSigned(names));
  const options = { cert: certificatePem, key: keyPem, requestCert, rejectUnauthorized: false };
  const server = createServer(options, handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    server,
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(certificatePem).toString("base64"),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The body of a request, as a whole. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function selfSigned(names: readonly string[]): Promise<KeyedCertificate> {
  return issueCertificate({
    subject: { commonName: "test server" },
    notBeforeMs: Date.now() - DAY_MS,
    notAfterMs: Date.now() + DAY_MS,
    use: "server",
    names,
  });
}
