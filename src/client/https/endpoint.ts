// The connections to one server with one set of certificates: HTTP/2 where the server offers it, HTTP/1.1 otherwise.

import type { Socket } from "node:net";
import { TransportError } from "../transport.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { type Dialed, type DialOptions, dial, type Protocol } from "./dial.ts";
import type { IncomingAnswer, OutgoingRequest } from "./exchange.ts";
import { Http1Pool } from "./http1-pool.ts";
import { Http2Connection } from "./http2-connection.ts";

interface EndpointOptions extends Omit<DialOptions, "protocols" | "signal" | "timeoutMs"> {
  /** Host and port as requests name them. */
  readonly authority: string;
  readonly connectTimeoutMs: number;
  readonly pingIntervalMs: number;
}

export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #destroyed = new AbortController();
  readonly #http2 = new Set<Http2Connection>();
  #http1: Http1Pool | undefined;
  #opening: Promise<void> | undefined;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  /** Fails with ExchangeFailed, TransportError, the signal's reason, or as `beforeSending` fails. */
  async send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    for (;;) {
      const connection = this.#http1 ?? this.#usable();
      if (connection !== undefined) {
        request.beforeSending?.();
        return connection.send(request, signal);
      }
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined;
      });
      await unlessAborted(this.#opening, signal);
    }
  }

  /** A connection that nobody else uses, for an upgrade. */
  async dialAlone(signal: AbortSignal): Promise<Socket> {
    const both = AbortSignal.any([signal, this.#destroyed.signal]);
    return (await this.#dial(["http/1.1"], both)).socket;
  }

  /** No further requests; those under way have a while to end. */
  retire(): void {
    this.#http1?.retire();
    for (const connection of this.#http2) connection.retire();
  }

  destroy(): void {
    this.#destroyed.abort(new TransportError("closed", "the client was closed"));
    this.#http1?.destroy();
    for (const connection of this.#http2) connection.destroy();
  }

  #usable(): Http2Connection | undefined {
    for (const connection of this.#http2) {
      if (connection.usable) return connection;
      if (connection.ended) this.#http2.delete(connection);
    }
    return undefined;
  }

  async #open(): Promise<void> {
    const { secureContext, authority, pingIntervalMs, clock } = this.#options;
    const offered: readonly Protocol[] = secureContext === undefined ? ["http/1.1"] : ["h2", "http/1.1"];
    const { socket, protocol } = await this.#dial(offered, this.#destroyed.signal);
    if (protocol === "h2") {
      this.#http2.add(new Http2Connection(socket, { authority, pingIntervalMs, clock }));
      return;
    }
    const dialAnother = async (): Promise<Socket> => (await this.#dial(["http/1.1"], this.#destroyed.signal)).socket;
    this.#http1 = new Http1Pool({ authority, dial: dialAnother });
    this.#http1.give(socket);
  }

  #dial(protocols: readonly Protocol[], signal: AbortSignal): Promise<Dialed> {
    return dial({ ...this.#options, timeoutMs: this.#options.connectTimeoutMs, protocols, signal });
  }
}
