// Ways out of the server other than straight ones: a proxy in front of a network that cannot be reached directly. Requests
// take one by their agent.

import { Agent as HttpAgent, type AgentOptions as HttpAgentOptions } from "node:http";
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect as connectTls } from "node:tls";

/** Leads to any address behind it. */
export interface Egress {
  /** Tells ways apart: connections that took one are kept for it. */
  readonly name: string;
  /** Fails with a sentence when the address cannot be reached. */
  connect(host: string, port: number): Promise<Socket>;
}

type Created = (error: Error | null, socket?: Duplex) => void;

export class EgressHttpAgent extends HttpAgent {
  readonly #egress: Egress;

  constructor(egress: Egress, options: HttpAgentOptions = {}) {
    super(options);
    this.#egress = egress;
  }

  override createConnection(
    options: { host?: string | null; port?: number | string | null },
    created: Created,
  ): undefined {
    this.#egress.connect(options.host ?? "", Number(options.port)).then((socket) => created(null, socket), created);
  }
}

export class EgressHttpsAgent extends HttpsAgent {
  readonly #egress: Egress;

  constructor(egress: Egress, options: HttpsAgentOptions = {}) {
    super(options);
    this.#egress = egress;
  }

  override createConnection(options: ConnectionOptions, created: Created): undefined {
    const { host = "", port, ...tls } = options;
    this.#egress.connect(host, Number(port)).then((socket) => created(null, connectTls({ ...tls, socket })), created);
  }
}
