// A server's handler that remembers what it was asked, counts what is under way, and fails where it is told to.

import { targetOf } from "../apiserver/request-path.ts";
import type { Clock } from "../base/clock.ts";
import type { ReceivedRequest, Response } from "../http/message.ts";
import type { Handler } from "../http/pipeline.ts";
import { brokenStream, type Faults, statusAnswer } from "./faults.ts";
import type { SeenRequest } from "./seen-request.ts";

const MAX_REMEMBERED = 10_000;

export class ObservedHandler {
  readonly #handler: Handler<ReceivedRequest>;
  readonly #faults: Faults;
  readonly #clock: Pick<Clock, "sleep">;
  #requests: SeenRequest[] = [];
  #underWay = 0;
  #answered = 0;

  constructor(handler: Handler<ReceivedRequest>, faults: Faults, clock: Pick<Clock, "sleep">) {
    this.#handler = handler;
    this.#faults = faults;
    this.#clock = clock;
  }

  get requests(): readonly SeenRequest[] {
    return this.#requests;
  }

  /** Requests whose answer has not begun. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Grows with every answer. */
  get answered(): number {
    return this.#answered;
  }

  forget(): void {
    this.#requests = [];
  }

  readonly handle = async (request: ReceivedRequest): Promise<Response> => {
    const seen = seenRequest(request);
    if (this.#requests.length >= MAX_REMEMBERED) this.#requests.splice(0, MAX_REMEMBERED / 2);
    this.#requests.push(seen);
    this.#underWay += 1;
    try {
      const response = await this.#answer(request, seen);
      seen.status = response.status;
      return response;
    } finally {
      this.#underWay -= 1;
      this.#answered += 1;
    }
  };

  async #answer(request: ReceivedRequest, seen: SeenRequest): Promise<Response> {
    const fault = this.#faults.take(seen);
    switch (fault?.type) {
      case undefined:
        return this.#handler(request);
      case "status":
        return statusAnswer(fault);
      case "latency":
        await this.#clock.sleep(fault.ms);
        return this.#handler(request);
      case "lost-answer":
        await this.#handler(request);
        throw new Error("injected fault: the answer is lost");
      case "cut-watch":
      case "stalled-watch":
        return brokenStream(await this.#handler(request), fault);
    }
  }
}

function seenRequest(request: ReceivedRequest): SeenRequest {
  const { method, path, url } = request;
  const target = targetOf(method, path, request);
  const found = target?.type === "resource" ? target : undefined;
  const { resource = "", subresource = "", namespace = "", name = "" } = found ?? {};
  return {
    method,
    verb: found?.verb ?? method.toLowerCase(),
    resource: subresource === "" ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    path: url,
    userAgent: request.headers.first("user-agent") ?? "",
    status: undefined,
  };
}
