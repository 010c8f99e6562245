// Carries one request to a server behind and its answer back, as fast as the client reads. Redirects are not followed.

import type { IncomingMessage } from "node:http";
import { type Agent, request as send } from "node:https";
import { callErrorText } from "../../../client/call-error.ts";
import type { HttpsTarget } from "../../../client/tls-target.ts";
import { answerHeaders, forwardedHeaders, type Headers } from "../../../http/forwarded-headers.ts";
import type { BodyWriter, Response } from "../../../http/message.ts";
import { NoUpgrade, tunnel } from "../../../http/tunnel.ts";
import { readBody } from "../../../registry/read-body.ts";
import type { AuthorizedRequest } from "../../../registry/request.ts";
import { refuseOddAnswers } from "../../forwarding/refuse-odd-answers.ts";
import { authorityOf, type Backends } from "./backend.ts";
import { forwardedTarget, proxyHeaders } from "./forwarded-headers.ts";
import type { RemoteApi } from "./remote-api.ts";

/** Clients wait for the discovery of all servers before they do anything: none may take long. */
const DISCOVERY_TIMEOUT_MS = 5_000;

interface ProxyDeps {
  readonly backends: Backends;
  readonly maxBodyBytes: number;
  /** --aggregator-reject-forwarding-redirect */
  readonly rejectRedirects: boolean;
}

export async function proxy(deps: ProxyDeps, request: AuthorizedRequest, api: RemoteApi): Promise<Response> {
  const { backends } = deps;
  const target = await targetOf(backends, api);
  if (target === undefined) return unavailable();
  const own = proxyHeaders(request, authorityOf(target));
  const body = hasBody(request) ? await readBody(request, deps.maxBodyBytes) : undefined;
  let release: (() => void) | undefined;
  try {
    const held = await backends.hold(target);
    release = held.release;
    const answer = await askAgain(request, () => ask({ target, agent: held.agent, own, body }, request));
    answer.once("close", release);
    return answerOf(deps, answer);
  } catch (error) {
    release?.();
    return plainAnswer(503, `error trying to reach service: ${callErrorText(error as Error)}`);
  }
}

/** The same for an upgraded connection. */
export async function proxyUpgrade(
  { backends }: ProxyDeps,
  request: AuthorizedRequest,
  api: RemoteApi,
): Promise<Response> {
  const target = await targetOf(backends, api);
  if (target === undefined) return unavailable();
  const headers = proxyHeaders(request, authorityOf(target));
  let release: (() => void) | undefined;
  try {
    const held = await backends.hold(target);
    release = held.release;
    return await tunnel(request, {
      host: target.host,
      port: target.port,
      path: forwardedTarget(request),
      headers,
      via: { scheme: "https", agent: held.agent },
    });
  } catch (error) {
    if (error instanceof NoUpgrade) return plainAnswer(503, error.message);
    const why = callErrorText(error as Error);
    return plainAnswer(503, why === "EOF" ? "unexpected EOF" : `error dialing backend: ${why}`);
  } finally {
    // Not the pool's any more: an upgraded connection carries nothing else.
    release?.();
  }
}

/** Undefined where the server is not to be called at all. */
async function targetOf(backends: Backends, api: RemoteApi): Promise<HttpsTarget | undefined> {
  if (!api.available) return undefined;
  return backends.targetOf(api).catch(() => undefined);
}

const unavailable = (): Response => plainAnswer(503, "service unavailable");

function plainAnswer(status: number, message: string): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body: Buffer.from(`${message}\n`) };
}

const hasBody = ({ method }: AuthorizedRequest): boolean => method !== "GET" && method !== "HEAD";

/** A kept connection may have been closed meanwhile: what changes nothing is asked for once more. */
async function askAgain(request: AuthorizedRequest, ask: () => Promise<IncomingMessage>): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const again = error instanceof StaleConnection && !hasBody(request) && attempt < MAX_ATTEMPTS;
      if (!again) throw error instanceof StaleConnection ? error.cause : error;
    }
  }
}

class StaleConnection extends Error {}

const MAX_ATTEMPTS = 4;

interface Question {
  readonly target: HttpsTarget;
  readonly agent: Agent;
  /** Headers of the proxy's own. */
  readonly own: Headers;
  readonly body: Uint8Array | undefined;
}

function ask({ target, agent, own, body }: Question, request: AuthorizedRequest): Promise<IncomingMessage> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const sent = send(
      {
        host: target.host,
        port: target.port,
        agent,
        method: request.method,
        path: forwardedTarget(request),
        signal: isDiscovery(request) ? AbortSignal.any([signal, AbortSignal.timeout(DISCOVERY_TIMEOUT_MS)]) : signal,
        headers: {
          ...forwardedHeaders(request),
          ...own,
          ...(body === undefined ? {} : { "content-length": String(body.length) }),
        },
      },
      resolve,
    );
    refuseOddAnswers(sent, reject);
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const stale = sent.reusedSocket && error.code === "ECONNRESET";
      reject(stale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    sent.end(body);
  });
}

/** /apis/group/version, and nothing below it. */
const isDiscovery = ({ target }: AuthorizedRequest): boolean =>
  target.type === "path" && target.path.split("/").filter((part) => part !== "").length === 3;

function answerOf({ rejectRedirects }: ProxyDeps, answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0;
  if (rejectRedirects && status >= 300 && status <= 399 && answer.headers.location !== undefined) {
    answer.destroy();
    return {
      status: 502,
      headers: { "content-type": "text/plain; charset=utf-8" },
      body: Buffer.from("the backend attempted to redirect this request, which is not permitted"),
    };
  }
  return { status, headers: answerHeaders(answer), body: { stream: (writer) => copy(answer, writer) } };
}

async function copy(answer: IncomingMessage, writer: BodyWriter): Promise<void> {
  const stop = () => answer.destroy();
  if (writer.signal.aborted) stop();
  writer.signal.addEventListener("abort", stop);
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      if (!writer.write(piece)) await writer.drained();
    }
  } finally {
    writer.signal.removeEventListener("abort", stop);
  }
}
