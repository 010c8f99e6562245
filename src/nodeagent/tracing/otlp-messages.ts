// The messages by which spans reach a collector: OTLP 1, as far as spans of the agent need it.

import { message, p, type Write } from "../grpc/message.ts";
import { serviceMethods } from "../grpc/method.ts";

const anyValue = message({ stringValue: p.string(1) });
const keyValue = message({ key: p.string(1), value: p.message(2, anyValue) });
const status = message({
  message: p.string(2),
  code: p.enumOf(3, ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"]),
});
const span = message({
  traceId: p.bytes(1),
  spanId: p.bytes(2),
  parentSpanId: p.bytes(4),
  name: p.string(5),
  kind: p.enumOf(6, ["SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER", "SPAN_KIND_CLIENT"]),
  startTimeUnixNano: p.fixed64(7),
  endTimeUnixNano: p.fixed64(8),
  attributes: p.many(p.message(9, keyValue)),
  status: p.message(15, status),
});
const resource = message({ attributes: p.many(p.message(1, keyValue)) });
const scope = message({ name: p.string(1), version: p.string(2) });
const scopeSpans = message({ scope: p.message(1, scope), spans: p.many(p.message(2, span)) });
const resourceSpans = message({ resource: p.message(1, resource), scopeSpans: p.many(p.message(2, scopeSpans)) });

export type Span = Write<typeof span>;

export const exportSpans = serviceMethods("opentelemetry.proto.collector.trace.v1.TraceService").unary(
  "Export",
  message({ resourceSpans: p.many(p.message(1, resourceSpans)) }),
  message({}),
);

/** As messages have them. */
export function attributesOf(words: Readonly<Record<string, string>>) {
  return Object.entries(words).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}
