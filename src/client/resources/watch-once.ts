// One watch request: its events until the server ends it, or nothing has been heard for too long.
// Requirements: document 1, "Events", "Streaming initial state".

import { isObject } from "../../base/json.ts";
import type { StatusBody } from "../../meta/status-error.ts";
import { ApiError } from "../api-error.ts";
import { EventLines } from "../event-lines.ts";
import { TransportError } from "../transport.ts";
import { decodeEventBytes } from "./decode-event.ts";
import { type RequestSender, send } from "./request-sender.ts";
import { type Query, resourcePath } from "./resource-path.ts";
import { acceptFor, type ResourceType, type Stored } from "./resource-type.ts";
import { readPieces, type Sharing } from "./shared-pieces.ts";

export type RawEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Stored<T> }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly initialEventsEnd: boolean };

export interface WatchOnce {
  readonly type: ResourceType;
  readonly namespace?: string | undefined;
  readonly query: Query;
  readonly signal?: AbortSignal | undefined;
  /** A stream that is silent for so long is taken for dead; see SILENCE_MS when not given. */
  readonly silenceMs?: number | undefined;
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** Objects are shared, and frozen; the watch's own when not given. */
  readonly sharing?: Sharing<never> | undefined;
}

const SILENCE_MS = 30_000;
/** Servers send a bookmark every minute: without one, the server is stuck even if the connection is not. */
const BOOKMARK_SILENCE_MS = 90_000;

/**
 * The events of each piece of the stream, decoded as they are asked for. Ends when the server ends the watch. Fails, while
 * waiting or while decoding, with ApiError (410: begin anew), TransportError, or the signal's reason.
 */
export async function* watchOnce<T>(
  sender: RequestSender,
  watch: WatchOnce,
): AsyncGenerator<Generator<RawEvent<T>, void, void>, void, void> {
  const path = resourcePath(watch.type, { namespace: watch.namespace }, { ...watch.query, watch: true });
  const { onWarning, silenceMs } = watch;
  const alive = new Liveness(sender, watch.signal);
  try {
    const response = await send(sender, {
      method: "GET",
      path,
      accept: acceptFor(watch.type, sender.names, "object"),
      signal: alive.signal,
      timeoutMs: silenceMs ?? BOOKMARK_SILENCE_MS,
      ...(onWarning === undefined ? {} : { onWarning }),
    });
    alive.begin(silenceMs ?? (response.findsDeadConnection === true ? BOOKMARK_SILENCE_MS : SILENCE_MS));
    const lines = new EventLines();
    for await (const piece of response.stream()) {
      // While the reader works, nobody listens: only silence afterwards counts.
      alive.pause();
      // An event costs less than a turn of the reader: those that came together are handed on together.
      yield decodeEvents<T>(piece, lines, { sender, path, sharing: watch.sharing });
      alive.listen();
    }
  } finally {
    alive.end();
  }
}

interface Reading {
  readonly sender: RequestSender;
  readonly path: string;
  readonly sharing: Sharing<never> | undefined;
}

function* decodeEvents<T>(
  piece: Uint8Array,
  lines: EventLines,
  { sender, path, sharing }: Reading,
): Generator<RawEvent<T>, void, void> {
  const known = sharing !== undefined && sender.transport.sharesPieces === true ? readPieces(sharing) : undefined;
  const seen = known?.get(piece) as RawEvent<T> | undefined;
  if (seen !== undefined) {
    yield seen;
    return;
  }
  const owners = sharing?.shape === "without managers" ? "unwanted" : "kept";
  for (const line of lines.push(piece)) {
    const event = shared(decodeEvent<T>(line, owners, sender, path), sharing);
    if (line.length === piece.length - 1) known?.set(piece, event);
    yield event;
  }
}

function shared<T>(event: RawEvent<T>, sharing: Sharing<never> | undefined): RawEvent<T> {
  if (event.type === "BOOKMARK" || sharing === undefined) return event;
  return { type: event.type, object: sharing.share(event.object as never) };
}

function decodeEvent<T>(
  line: Uint8Array,
  owners: "kept" | "unwanted",
  { names }: RequestSender,
  path: string,
): RawEvent<T> {
  const event = decodeEventBytes(line, owners);
  if (!isObject(event) || !isObject(event["object"])) throw new TransportError("protocol", "a watch sent no event");
  const { type, object } = event;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: object as unknown as Stored<T> };
    case "BOOKMARK": {
      const { metadata } = object as unknown as Stored<object>;
      const initialEventsEnd = metadata.annotations?.[names.initialEventsEndAnnotation] === "true";
      return { type, resourceVersion: metadata.resourceVersion, initialEventsEnd };
    }
    case "ERROR":
      throw new ApiError({ status: object as unknown as StatusBody, request: { method: "GET", path } });
    default:
      throw new TransportError("protocol", "a watch sent an event of an unknown type");
  }
}

/** Ends a request of which nothing has been heard for too long. */
class Liveness {
  readonly #controller = new AbortController();
  readonly #sender: RequestSender;
  readonly #outer: AbortSignal | undefined;
  readonly #follow = (): void => this.#controller.abort(this.#outer?.reason);
  #timer: { cancel(): void } | undefined;
  #heardMs = Number.POSITIVE_INFINITY;

  constructor(sender: RequestSender, outer: AbortSignal | undefined) {
    this.#sender = sender;
    this.#outer = outer;
    if (outer?.aborted) this.#follow();
    outer?.addEventListener("abort", this.#follow, { once: true });
  }

  /** The stream stands: from now on it must be heard of now and then. */
  begin(silenceMs: number): void {
    this.listen();
    this.#lookAfter(silenceMs, silenceMs);
  }

  /** Looking when it could have been silent for so long, and no sooner, is cheaper than a timer for every piece. */
  #lookAfter(ms: number, silenceMs: number): void {
    const { clock } = this.#sender;
    this.#timer = clock.setTimer(ms, () => {
      const silentMs = clock.monotonicMs() - this.#heardMs;
      // While the reader works, nobody was silent yet.
      if (silentMs < silenceMs) this.#lookAfter(silenceMs - Math.max(0, silentMs), silenceMs);
      else
        this.#controller.abort(
          new TransportError("lost", `nothing was heard for ${Math.round(silentMs / 1000)} seconds`),
        );
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  pause(): void {
    this.#heardMs = Number.POSITIVE_INFINITY;
  }

  listen(): void {
    this.#heardMs = this.#sender.clock.monotonicMs();
  }

  end(): void {
    this.#timer?.cancel();
    this.#outer?.removeEventListener("abort", this.#follow);
  }
}
