// A Status as an answer of its own (not an error): what a delete leaves.

import { contentTypeOf, type Output } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import { encodeStatus } from "../../registry/encoding/encode-status.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { HandlerContext } from "./handler-context.ts";

export function answerStatus(
  context: HandlerContext,
  _asked: ResourceRequest,
  output: Output,
  status: Readonly<Record<string, unknown>>,
): Response {
  // A Status has no Table form.
  const plain: Output = { mediaType: output.mediaType, stream: false, pretty: output.pretty };
  return {
    status: 200,
    headers: { "content-type": contentTypeOf(plain, context.names) },
    body: encodeStatus(status, plain),
  };
}
