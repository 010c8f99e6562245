// Keeps long events short: without the objects of the request, then not at all.

import { isObject, type JsonObject } from "../base/json.ts";
import type { AuditSink } from "./audit-sink.ts";

interface TruncateOptions {
  readonly maxEventBytes: number;
  /** Put on events that lost their objects. */
  readonly annotation: string;
  readonly onError: (error: Error, lostEvents: number) => void;
}

export function truncatingSink(sink: AuditSink, options: TruncateOptions): AuditSink {
  return {
    name: sink.name,
    strict: sink.strict,
    record(event) {
      const short = shortened(event, options);
      if (short !== undefined) return sink.record(short);
      options.onError(new Error("event is too large even after truncating"), 1);
      return undefined;
    },
    close: () => sink.close(),
  };
}

function shortened(event: string, { maxEventBytes, annotation }: TruncateOptions): string | undefined {
  if (Buffer.byteLength(event) <= maxEventBytes) return event;
  const { requestObject: _request, responseObject: _response, ...rest } = JSON.parse(event) as JsonObject;
  const annotations = isObject(rest["annotations"]) ? rest["annotations"] : {};
  const short = JSON.stringify({ ...rest, annotations: { ...annotations, [annotation]: "true" } });
  const hadObjects = rest["level"] === "Request" || rest["level"] === "RequestResponse";
  return hadObjects && Buffer.byteLength(short) <= maxEventBytes ? short : undefined;
}
