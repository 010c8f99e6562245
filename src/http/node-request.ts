// A node HTTP message (1.1 or 2) as a ReceivedRequest.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../base/clock.ts";
import type { ClientCertificates } from "./client-certificates.ts";
import { type BodyReader, GatheredMessage } from "./gathered-message.ts";
import type { GoneRequests } from "./gone-requests.ts";
import { NodeHeaderList } from "./header-list.ts";
import {
  BodyAborted,
  BodyTooLarge,
  type HeaderList,
  type ReceivedRequest,
  type Sending,
  type ShownCertificate,
  type Upgrade,
} from "./message.ts";
import { isGone } from "./node-response.ts";
import { requestTarget } from "./request-target.ts";

/** Until somebody says otherwise, an answer must have left so long after its request came. */
const ANSWER_TIMEOUT_MS = 60_000;
/** How long after its head a body may take to arrive. */
const BODY_TIMEOUT_MS = 60_000;

type NodeMessage = IncomingMessage | Http2ServerRequest;
type NodeAnswer = ServerResponse | Http2ServerResponse | Duplex;

/** What all requests of a listener have in common. */
export interface RequestSource {
  readonly gone: GoneRequests;
  readonly certificates: ClientCertificates;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Looks after what is open until the returned function is called, and cuts it off when it is late. */
  readonly watchOver: (open: Sending) => () => void;
}

/** Nobody writes to the query of a request. */
const NO_QUERY = new URLSearchParams();

/** A request whose head has no problem. Most need neither query nor signal, certificates nor the time of day: made when asked for. */
export class NodeRequest implements ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly headers: HeaderList;
  readonly upgrade: Upgrade | undefined;
  deadlineMs: number;
  #cancelled = false;
  readonly #req: NodeMessage;
  readonly #answer: NodeAnswer;
  readonly #source: RequestSource;
  readonly #arrivedMs: number;
  #receivedAtMs: number | undefined;
  #query: URLSearchParams | undefined;
  #gone: AbortController | undefined;

  constructor(req: NodeMessage, answer: NodeAnswer, source: RequestSource, upgrade?: Upgrade) {
    const url = requestTarget(req.url ?? "") ?? "/";
    const question = url.indexOf("?");
    this.method = req.method ?? "GET";
    this.url = url;
    this.path = question < 0 ? url : url.slice(0, question);
    this.headers = new NodeHeaderList(req.headers, req.rawHeaders);
    this.#arrivedMs = source.clock.monotonicMs();
    this.deadlineMs = this.#arrivedMs + ANSWER_TIMEOUT_MS;
    this.upgrade = upgrade;
    this.#req = req;
    this.#answer = answer;
    this.#source = source;
  }

  get receivedAtMs(): number {
    this.#receivedAtMs ??= Date.now() - Math.round(this.#source.clock.monotonicMs() - this.#arrivedMs);
    return this.#receivedAtMs;
  }

  get remoteAddress(): string {
    return this.#req.socket?.remoteAddress ?? "";
  }

  get connection(): object {
    const req = this.#req;
    return ("stream" in req ? req.stream.session : undefined) ?? req.socket;
  }

  get query(): URLSearchParams {
    if (this.url.length === this.path.length) return NO_QUERY;
    this.#query ??= new URLSearchParams(this.url.slice(this.path.length + 1));
    return this.#query;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get cancelled(): boolean {
    return this.#cancelled || isGone(this.#answer);
  }

  cancel(): void {
    this.#cancelled = true;
    this.#ending.abort();
  }

  get #ending(): AbortController {
    // A connection that somebody takes over has no other end.
    const lasts = () => this.upgrade !== undefined || this.deadlineMs === Number.POSITIVE_INFINITY;
    this.#gone ??= this.#source.gone.controllerOf(this.#answer, lasts);
    return this.#gone;
  }

  get clientCertificate(): ShownCertificate | undefined {
    return this.#source.certificates.shownOn(this.#req.socket as TLSSocket);
  }

  readBody(limitBytes: number): Promise<Uint8Array> {
    return readBody(this.#req, limitBytes, this.#arrivedMs + BODY_TIMEOUT_MS, this.#source.watchOver);
  }
}

function readBody(
  req: NodeMessage,
  limitBytes: number,
  deadlineMs: number,
  watchOver: RequestSource["watchOver"],
): Promise<Uint8Array> {
  const declared = Number(req.headers["content-length"] ?? 0);
  if (declared > limitBytes) return Promise.reject(new BodyTooLarge(limitBytes));
  return new Promise((resolve, reject) => {
    let settled = false;
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (error: Error) => {
      settled = true;
      arrived();
      reject(error);
    };
    const reader: BodyReader = {
      chunk(chunk) {
        if (settled) return;
        size += chunk.length;
        if (size <= limitBytes) chunks.push(chunk);
        else refuse(new BodyTooLarge(limitBytes));
      },
      end() {
        if (settled) return;
        settled = true;
        arrived();
        resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
      },
      // Every stream closes in the end: an error (and its stack) is only made when the body is still awaited.
      fail(why) {
        if (!settled) refuse(new BodyAborted(why));
      },
    };
    const cut = () => reader.fail("the body did not arrive in time");
    const arrived = watchOver({ queuedBytes: 0, progress: 0, deadlineMs, cut });
    if (req instanceof GatheredMessage) req.readWith(reader);
    else readStream(req, reader);
  });
}

function readStream(req: NodeMessage, reader: BodyReader): void {
  // Nothing follows its end, not even the word that it has come.
  if (req.destroyed || ("stream" in req && (req.stream === undefined || req.stream.destroyed))) {
    reader.fail("the client went away");
    return;
  }
  req.on("data", (chunk: Buffer) => reader.chunk(chunk));
  req.once("end", () => reader.end());
  req.once("error", (error) => reader.fail(error.message));
  req.once("close", () => reader.fail("the client went away"));
}
