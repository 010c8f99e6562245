// A way to the server that can be cut: requests fail, and what streams ends, until it is mended.

import {
  type ApiConnectRequest,
  type ApiRequest,
  type ApiResponse,
  type ApiSocket,
  type Transport,
  TransportError,
} from "../../client/transport.ts";

export class CutTransport implements Transport {
  readonly #inner: Transport;
  #cut: AbortController | undefined;
  #whole = new AbortController();

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  cut(): void {
    this.#cut = this.#whole;
    this.#whole.abort();
  }

  mend(): void {
    this.#cut = undefined;
    this.#whole = new AbortController();
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    this.#check();
    const { signal } = this.#whole;
    const answer = await this.#inner.request({
      ...request,
      signal: AbortSignal.any([signal, ...(request.signal === undefined ? [] : [request.signal])]),
    });
    return {
      ...answer,
      bytes: () => answer.bytes(),
      stream: async function* () {
        try {
          yield* answer.stream();
        } catch (error) {
          throw signal.aborted ? away() : error;
        }
        if (signal.aborted) throw away();
      },
    };
  }

  async connect(request: ApiConnectRequest): Promise<ApiSocket> {
    this.#check();
    return await this.#inner.connect(request);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  #check(): void {
    if (this.#cut !== undefined) throw away();
  }
}

const away = (): TransportError => new TransportError("connect", "the server is away");
