// A Status as an answer of its own (not an error): what a delete, a binding or an eviction leaves.

import { contentTypeOf, type Output } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import type { ApiObject } from "../../meta/object.ts";
import { encodeStatus } from "../../registry/encoding/encode-status.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { HandlerContext } from "./handler-context.ts";

/** An object is gone. */
export function answerDeleted(
  context: HandlerContext,
  { resource }: ResourceRequest,
  output: Output,
  { metadata: { name, uid } }: ApiObject,
): Response {
  return answerStatus(context, output, 200, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      ...(name === undefined ? {} : { name }),
      ...(resource.group === "" ? {} : { group: resource.group }),
      kind: resource.kind.resource,
      ...(uid === undefined ? {} : { uid }),
    },
  });
}

export function answerStatus(
  { names }: HandlerContext,
  output: Output,
  code: number,
  status: Readonly<Record<string, unknown>>,
): Response {
  // A Status has no Table form.
  const { as: _as, asVersion: _asVersion, ...plain } = output;
  return {
    status: code,
    headers: { "content-type": contentTypeOf(plain, names) },
    body: encodeStatus(status, plain),
  };
}
