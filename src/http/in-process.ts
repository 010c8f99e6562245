// A request that did not come over a socket: the transport of components in one process.

import { headerList } from "./header-list.ts";
import { BodyTooLarge, type HeaderList, type ReceivedRequest, type ShownCertificate, type Upgrade } from "./message.ts";

/** An AbortController, or what makes one when somebody asks for its signal. */
type Ending = Pick<AbortController, "signal" | "abort">;

export interface InProcessRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string | undefined;
  /** Aborted when whoever asked has gone, and when the server gives the request up. */
  readonly controller?: Ending;
  /** One for each request when not given. */
  readonly connection?: object;
  readonly clientCertificate?: ShownCertificate;
  readonly upgrade?: Upgrade;
}

export function inProcessRequest(request: InProcessRequest): ReceivedRequest {
  return new ReceivedInProcess(request);
}

/** Nobody writes to the query of a request. */
const NO_QUERY = new URLSearchParams();

/** Most need neither query nor signal: made when asked for. */
class ReceivedInProcess implements ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly headers: HeaderList;
  readonly remoteAddress = "127.0.0.1";
  readonly connection: object;
  readonly clientCertificate: ShownCertificate | undefined;
  readonly upgrade: Upgrade | undefined;
  readonly receivedAtMs = Date.now();
  deadlineMs = Number.POSITIVE_INFINITY;
  cancelled = false;
  readonly #body: Buffer;
  #query: URLSearchParams | undefined;
  #controller: Ending | undefined;

  constructor({ method, url, headers, body, connection, clientCertificate, upgrade, controller }: InProcessRequest) {
    const question = url.indexOf("?");
    this.method = method;
    this.url = url;
    this.path = question < 0 ? url : url.slice(0, question);
    this.headers = headerList(headers ?? {});
    this.connection = connection ?? {};
    this.clientCertificate = clientCertificate;
    this.upgrade = upgrade;
    this.#body = bytesOf(body);
    this.#controller = controller;
  }

  get query(): URLSearchParams {
    if (this.url.length === this.path.length) return NO_QUERY;
    this.#query ??= new URLSearchParams(this.url.slice(this.path.length + 1));
    return this.#query;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  cancel(): void {
    this.cancelled = true;
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }

  async readBody(limitBytes: number): Promise<Uint8Array> {
    if (this.#body.length > limitBytes) throw new BodyTooLarge(limitBytes);
    return this.#body;
  }
}

/** Bytes as they are: who sends them does not change them any more. */
function bytesOf(body: Uint8Array | string | undefined): Buffer {
  if (body === undefined || typeof body === "string") return Buffer.from(body ?? "");
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
