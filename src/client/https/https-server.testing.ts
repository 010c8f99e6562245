// A real TLS server for tests of the client: HTTP/2 or HTTP/1.1, with a handler that each test sets, and what it has seen.

import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { issueCertificate, type KeyedCertificate } from "../../http/pki/issue-certificate.ts";
import type { ClusterEntry, Connection, UserEntry } from "../kubeconfig.ts";
import type { Protocol } from "./dial.ts";

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Http2ServerRequest["headers"];
  readonly body: string;
  /** The name in the client's certificate. */
  readonly client: string | undefined;
}

type TestHandler = (request: Http2ServerRequest, response: Http2ServerResponse, seen: Seen) => void;

const HOUR_MS = 3_600_000;

export function issue(use: "server" | "client", commonName: string, names: string[] = []): Promise<KeyedCertificate> {
  return issueCertificate({
    subject: { commonName },
    notBeforeMs: Date.now() - HOUR_MS,
    notAfterMs: Date.now() + HOUR_MS,
    use,
    names,
  });
}

/** To a server on this machine, by the certificate that it shows. */
export function connectionTo(
  { port, certificate }: { readonly port: number; readonly certificate: KeyedCertificate },
  user: UserEntry,
  cluster: Partial<ClusterEntry> = {},
): Connection {
  return {
    clusterName: "c",
    userName: "ann",
    user,
    cluster: {
      server: `https://127.0.0.1:${port}`,
      insecureSkipTlsVerify: false,
      certificateAuthority: { at: "authority", pem: certificate.certificatePem },
      disableCompression: false,
      extensions: new Map(),
      ...cluster,
    },
  };
}

export class TestServer {
  readonly certificate: KeyedCertificate;
  readonly #server: Http2SecureServer;
  readonly sockets: Socket[] = [];
  /** That have been begun, those with an unfinished handshake too. */
  connections = 0;
  readonly sessions: ServerHttp2Session[] = [];
  readonly seen: Seen[] = [];
  /** Without, bodies are not read: the handler is called at once, if there is one. */
  listen = true;
  requests = 0;
  handle: TestHandler | undefined = (_request, response) => response.end("{}");

  constructor(certificate: KeyedCertificate, protocol: Protocol) {
    this.certificate = certificate;
    this.#server = createSecureServer(
      {
        cert: certificate.certificatePem,
        key: certificate.keyPem,
        allowHTTP1: true,
        requestCert: true,
        rejectUnauthorized: false,
        ALPNProtocols: protocol === "h2" ? ["h2", "http/1.1"] : ["http/1.1"],
      },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.on("connection", () => {
      this.connections += 1;
    });
    this.#server.on("secureConnection", (socket) => this.sockets.push(socket));
    this.#server.on("session", (session) => {
      session.on("error", () => undefined);
      this.sessions.push(session);
    });
  }

  /** For upgrades. */
  get node(): Http2SecureServer {
    return this.#server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  connection(user: UserEntry = {}, cluster: Partial<ClusterEntry> = {}): Connection {
    return connectionTo(this, user, cluster);
  }

  async #serve(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    this.requests += 1;
    let body = "";
    try {
      if (this.listen) for await (const piece of request) body += String(piece);
    } catch {
      return;
    }
    const socket = (request.stream?.session?.socket ?? request.socket) as unknown as {
      getPeerCertificate(): { subject?: { CN?: string } };
    };
    const { method, url, headers } = request;
    const client = socket.getPeerCertificate()?.subject?.CN;
    const seen: Seen = { method, url, headers, body, client };
    this.seen.push(seen);
    this.handle?.(request, response, seen);
  }
}
