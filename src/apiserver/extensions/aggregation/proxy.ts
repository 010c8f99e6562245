// Carries one request to a server behind and its answer back, as fast as the client reads. Redirects are not followed.

import type { IncomingMessage } from "node:http";
import { request as send } from "node:https";
import type { BodyWriter, Response } from "../../../http/message.ts";
import { StatusError } from "../../../meta/status-error.ts";
import { readBody } from "../../handlers/read-body.ts";
import type { AuthorizedRequest } from "../../request.ts";
import type { Backends } from "./backend.ts";
import { answerHeaders, forwardedHeaders } from "./forwarded-headers.ts";
import type { RemoteApi } from "./remote-api.ts";

const REDIRECT_FROM = 300;
const REDIRECT_TO = 399;

export interface ProxyDeps {
  readonly backends: Backends;
  readonly maxBodyBytes: number;
}

export async function proxy(
  { backends, maxBodyBytes }: ProxyDeps,
  request: AuthorizedRequest,
  api: RemoteApi,
): Promise<Response> {
  if (!api.available) return unavailable();
  let target: Awaited<ReturnType<Backends["connect"]>>;
  try {
    target = await backends.connect(api);
  } catch {
    return unavailable();
  }
  const body = hasBody(request) ? await readBody(request, maxBodyBytes) : new Uint8Array();
  const answer = await ask(target, request, api, body);
  const status = answer.statusCode ?? 0;
  if (status >= REDIRECT_FROM && status <= REDIRECT_TO && status !== 304) {
    answer.destroy();
    throw badGateway("the backend attempted to redirect this request, which is not permitted");
  }
  return {
    status,
    headers: answerHeaders(answer.headers),
    body: { stream: (writer) => copy(answer, writer) },
  };
}

export function unavailable(): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status: 503, headers, body: Buffer.from("service unavailable\n") };
}

const hasBody = ({ method }: AuthorizedRequest): boolean => method !== "GET" && method !== "HEAD";

function ask(
  target: Awaited<ReturnType<Backends["connect"]>>,
  request: AuthorizedRequest,
  api: RemoteApi,
  body: Uint8Array,
): Promise<IncomingMessage> {
  const { name, namespace, port } = api.service;
  return new Promise((resolve, reject) => {
    const sent = send(
      {
        ...target,
        method: request.method,
        path: request.url,
        signal: request.signal,
        headers: {
          ...forwardedHeaders(request),
          host: `${name}.${namespace}.svc:${port}`,
          ...(hasBody(request) ? { "content-length": String(body.length) } : {}),
        },
      },
      resolve,
    );
    sent.on("error", (error) => reject(badGateway(`error trying to reach service: ${error.message}`)));
    sent.end(body);
  });
}

function badGateway(message: string): StatusError {
  return new StatusError(503, "ServiceUnavailable", message);
}

async function copy(answer: IncomingMessage, writer: BodyWriter): Promise<void> {
  const stop = () => answer.destroy();
  writer.signal.addEventListener("abort", stop);
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      if (!writer.write(piece)) await writer.drained();
    }
  } finally {
    writer.signal.removeEventListener("abort", stop);
  }
}
