// Answers of the agent's endpoints: plain text and JSON, and refusals with a status.

import type { Response } from "../../http/message.ts";

export function textAnswer(status: number, text: string): Response {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: Buffer.from(text) };
}

export function jsonAnswer(value: unknown): Response {
  return { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(value)) };
}

/** A request that cannot be served: answered with the status and the message. */
export class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "RefusedRequest";
    this.status = status;
  }
}
