// Keeps long events short: without the objects of the request, then not at all.

import { isObject } from "../base/json.ts";
import type { AuditSink, RecordedEvent } from "./audit-sink.ts";

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
    record(recorded) {
      const short = shortened(recorded, options);
      if (short !== undefined) return sink.record(short);
      options.onError(new Error("event is too large even after truncating"), 1);
      return undefined;
    },
    close: () => sink.close(),
  };
}

function shortened(recorded: RecordedEvent, { maxEventBytes, annotation }: TruncateOptions): RecordedEvent | undefined {
  if (Buffer.byteLength(recorded.text) <= maxEventBytes) return recorded;
  const { requestObject: _request, responseObject: _response, ...rest } = recorded.event;
  const hadObjects = rest["level"] === "Request" || rest["level"] === "RequestResponse";
  if (!hadObjects) return undefined;
  const annotations = isObject(rest["annotations"]) ? rest["annotations"] : {};
  const event = { ...rest, annotations: { ...annotations, [annotation]: "true" } };
  const text = JSON.stringify(event);
  return Buffer.byteLength(text) <= maxEventBytes ? { event, text } : undefined;
}
