// A remote procedure: its path, its messages, and whether one answer comes or a stream of them.

import type { Message } from "./message.ts";

export interface Method<Request = unknown, RequestRead = unknown, Response = unknown, ResponseWrite = unknown> {
  /** "/package.Service/Method" */
  readonly path: string;
  readonly streams: boolean;
  readonly request: Message<RequestRead, Request>;
  readonly response: Message<Response, ResponseWrite>;
}

/** The procedures of one service. */
export function serviceMethods(service: string) {
  const method =
    (streams: boolean) =>
    <RequestRead, Request, Response, ResponseWrite>(
      name: string,
      request: Message<RequestRead, Request>,
      response: Message<Response, ResponseWrite>,
    ): Method<Request, RequestRead, Response, ResponseWrite> => ({
      path: `/${service}/${name}`,
      streams,
      request,
      response,
    });
  return { unary: method(false), stream: method(true) };
}
